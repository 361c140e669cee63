const largestBytes = 20 * 1024 * 1024

/** A picture of the user's own can't be taken; `message` says why and is meant to be shown. */
export class PictureError extends Error {}

/**
 * A square cut from the middle of a picture file, so many pixels wide, as a data address of a few kilobytes.
 * Throws PictureError for a file that is too large or no picture.
 */
export async function squarePicture(file: File, pixels: number): Promise<string> {
  if (file.size > largestBytes) throw new PictureError('This file is too large. Choose one below 20 MB.')
  const picture = await createImageBitmap(file).catch(() => null)
  const canvas = document.createElement('canvas')
  const context = canvas.getContext('2d')
  if (picture === null || context === null) {
    throw new PictureError('This file is no picture that can be read. Choose a JPEG, PNG or WebP.')
  }
  canvas.width = pixels
  canvas.height = pixels
  // What is transparent would come out black.
  context.fillStyle = '#ffffff'
  context.fillRect(0, 0, pixels, pixels)
  const side = Math.min(picture.width, picture.height)
  const [left, top] = [(picture.width - side) / 2, (picture.height - side) / 2]
  context.imageSmoothingQuality = 'high'
  context.drawImage(picture, left, top, side, side, 0, 0, pixels, pixels)
  picture.close()
  return canvas.toDataURL('image/jpeg', 0.85)
}
