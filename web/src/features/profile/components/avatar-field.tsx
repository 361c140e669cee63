import { Button } from '@mantine/core'
import { IconPhoto } from '@tabler/icons-react'
import { useId, useRef, useState } from 'react'
import { PictureError, squarePicture } from '../../../platform/picture.ts'
import { Avatar } from '../../../ui/avatar.tsx'
import spoken from '../../../ui/unseen.module.css'
import classes from './avatar-field.module.css'

type AvatarFieldProps = { name: string; picture: string; onPicture: (picture: string) => void }

const pixels = 256

/** A picture from this device, or initials. */
export function AvatarField({ name, picture, onPicture }: AvatarFieldProps) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const [problem, setProblem] = useState<string>()

  async function take(file: File | undefined) {
    setProblem(undefined)
    if (file === undefined) return
    try {
      onPicture(await squarePicture(file, pixels))
    } catch (error) {
      setProblem(error instanceof PictureError ? error.message : 'This picture could not be read.')
    }
  }

  return (
    <div className={classes.field}>
      <Avatar name={name} picture={picture} size="lg" />
      <div>
        <div className={classes.actions}>
          <Button
            variant="default"
            size="sm"
            leftSection={<IconPhoto size={16} aria-hidden />}
            onClick={() => input.current?.click()}
          >
            {picture ? 'Change picture' : 'Choose picture'}
          </Button>
          {picture && (
            <Button variant="subtle" size="sm" onClick={() => onPicture('')}>
              Remove picture
            </Button>
          )}
        </div>
        <label htmlFor={id} className={spoken.unseen}>
          Picture
        </label>
        <input
          ref={input}
          id={id}
          className={spoken.unseen}
          type="file"
          accept="image/*"
          tabIndex={-1}
          onChange={(event) => {
            void take(event.currentTarget.files?.[0])
            // The same file may be chosen again.
            event.currentTarget.value = ''
          }}
        />
        <p className={classes.problem} role="alert">
          {problem}
        </p>
      </div>
    </div>
  )
}
