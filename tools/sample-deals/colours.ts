/** The tones one product colour is drawn in. */
export type Tones = {
  main: string
  dark: string
  light: string
  /** The disc behind the product. */
  tint: string
  /** A second colour that goes with it. */
  accent: string
}

export const colours = {
  sage: { main: '#86ab84', dark: '#648a63', light: '#b3ceb0', tint: '#d5e3d2', accent: '#f2d7a0' },
  coral: { main: '#ef8272', dark: '#cf5f51', light: '#f8b1a4', tint: '#f7d8d1', accent: '#fbe9d0' },
  sky: { main: '#66a3d9', dark: '#437fb8', light: '#a2caee', tint: '#cfe2f3', accent: '#f9d98c' },
  lemon: { main: '#f0c64a', dark: '#cf9f28', light: '#f9e091', tint: '#f6eac4', accent: '#ef8272' },
  plum: { main: '#9668a6', dark: '#724782', light: '#c19dce', tint: '#e2d3e8', accent: '#f3c77f' },
  slate: { main: '#5f6c7b', dark: '#414c59', light: '#8f9cab', tint: '#d0d7df', accent: '#f2b25c' },
  sand: { main: '#d8b688', dark: '#b48e62', light: '#ecd7b8', tint: '#efe3d0', accent: '#6f9c8d' },
  mint: { main: '#63bda7', dark: '#3f947f', light: '#a3dbcc', tint: '#cbe8e0', accent: '#fbd9a5' },
  rose: { main: '#e387ab', dark: '#bd5f85', light: '#f2bad0', tint: '#f6d6e2', accent: '#fdf0da' },
  ink: { main: '#384662', dark: '#232d42', light: '#62718f', tint: '#cfd6e3', accent: '#f0a04b' },
} as const satisfies Record<string, Tones>

export type ColourName = keyof typeof colours

export const wood = { main: '#cf9f6d', dark: '#a87b4e', light: '#e3bf95' }
export const metal = { main: '#bcc5ce', dark: '#8f9aa6', light: '#e3e8ec' }
export const paper = '#fbfaf6'

/** A finished picture of 400 × 400: neutral ground, tinted disc, soft shadow, the product. Reads on light and dark pages. */
export function framed(tones: Tones, product: string, shadow = { x: 200, y: 326, width: 100 }): string {
  const body = product.replace(/\n\s*/g, '')
  return (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 400">' +
    '<rect width="400" height="400" fill="#e9ecf0"/>' +
    `<circle cx="200" cy="200" r="158" fill="${tones.tint}"/>` +
    `<ellipse cx="${shadow.x}" cy="${shadow.y}" rx="${shadow.width}" ry="11" fill="#1d2736" opacity=".14"/>` +
    `${body}</svg>\n`
  )
}
