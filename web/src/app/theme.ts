import {
  type CSSVariablesResolver,
  createTheme,
  defaultVariantColorsResolver,
  type MantineColorsTuple,
  type VariantColorsResolver,
} from '@mantine/core'

/** The one accent. Shade 7 carries white text at 5.6:1, shade 3 is read on the dark surfaces at 10:1. */
const pine: MantineColorsTuple = [
  '#ecfaf4',
  '#d3f2e5',
  '#a8e5cc',
  '#74d5af',
  '#43bf90',
  '#23a577',
  '#148a63',
  '#0f7353',
  '#0c5c43',
  '#084633',
]

/** Neutrals with a breath of green, so that surfaces and accent belong together. */
const gray: MantineColorsTuple = [
  '#f7f9f8',
  '#eff2f1',
  '#e3e8e6',
  '#d2d9d6',
  '#b3bcb8',
  '#8b9691',
  '#66716c',
  '#4d5752',
  '#343c38',
  '#1b211e',
]

const dark: MantineColorsTuple = [
  '#e4e9e7',
  '#c3cbc8',
  '#9ba6a1',
  '#6d7873',
  '#3d4643',
  '#2c3431',
  '#212826',
  '#191f1d',
  '#121715',
  '#0c100e',
]

const red: MantineColorsTuple = [
  '#fff0ef',
  '#ffdedc',
  '#fcb9b5',
  '#f7918b',
  '#ee6a62',
  '#df4a41',
  '#cb352c',
  '#b02a22',
  '#8f211b',
  '#6f1914',
]

const system =
  "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Helvetica Neue', Arial, sans-serif, 'Apple Color Emoji', 'Segoe UI Emoji'"

/** Filled accents differ between light and dark in their text as well, which a shade alone can't say. */
const variantColorResolver: VariantColorsResolver = (input) => {
  const colors = defaultVariantColorsResolver(input)
  const isAccent = input.color === undefined || input.color === input.theme.primaryColor
  if (input.variant !== 'filled' || !isAccent) return colors
  return {
    ...colors,
    background: 'var(--dd-accent)',
    hover: 'var(--dd-accent-hover)',
    color: 'var(--dd-on-accent)',
  }
}

export const theme = createTheme({
  colors: { pine, gray, dark, red },
  primaryColor: 'pine',
  primaryShade: { light: 7, dark: 6 },
  variantColorResolver,
  // Light text on a light accent, and dark text on a dark one, never happen by accident.
  autoContrast: true,
  luminanceThreshold: 0.24,
  white: '#ffffff',
  black: '#161c19',
  fontFamily: system,
  fontFamilyMonospace: "ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace",
  fontSizes: { xs: '0.75rem', sm: '0.875rem', md: '1rem', lg: '1.125rem', xl: '1.25rem' },
  lineHeights: { xs: '1.35', sm: '1.43', md: '1.5', lg: '1.45', xl: '1.4' },
  // A grid of 4 px.
  spacing: { xs: '0.5rem', sm: '0.75rem', md: '1rem', lg: '1.5rem', xl: '2rem' },
  radius: { xs: '0.25rem', sm: '0.375rem', md: '0.5rem', lg: '0.75rem', xl: '1rem' },
  defaultRadius: 'md',
  headings: {
    fontFamily: system,
    fontWeight: '650',
    sizes: {
      h1: { fontSize: '1.5rem', lineHeight: '1.25' },
      h2: { fontSize: '1.25rem', lineHeight: '1.3' },
      h3: { fontSize: '1.0625rem', lineHeight: '1.4' },
    },
  },
  cursorType: 'pointer',
  respectReducedMotion: true,
})

/**
 * What the product calls its surfaces; use these in style sheets instead of shades, so that light and dark stay designed together.
 * --dd-page behind everything, --dd-surface for cards and bars, --dd-sunken for wells, --dd-line and --dd-line-strong for borders,
 * --dd-text / --dd-text-dim, --dd-accent-text for accent-coloured words, --dd-accent-soft behind them, --dd-danger-text, --dd-warning-*.
 */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {
    '--dd-header-height': '3.5rem',
    '--dd-content-width': '88rem',
    '--dd-shadow-raised': '0 1px 2px rgb(10 30 22 / 6%), 0 6px 20px rgb(10 30 22 / 7%)',
  },
  light: {
    '--mantine-color-body': gray[0],
    '--mantine-color-text': '#161c19',
    '--mantine-color-dimmed': '#5a655f',
    '--mantine-color-placeholder': '#6a756f',
    '--mantine-color-error': red[7],
    '--mantine-color-anchor': pine[7],
    '--dd-page': gray[0],
    '--dd-surface': '#ffffff',
    '--dd-sunken': gray[1],
    '--dd-line': gray[2],
    '--dd-line-strong': gray[4],
    '--dd-text': '#161c19',
    '--dd-text-dim': '#5a655f',
    '--dd-accent': pine[7],
    '--dd-accent-hover': pine[8],
    '--dd-on-accent': '#ffffff',
    '--dd-accent-text': pine[7],
    '--dd-accent-soft': pine[0],
    '--dd-danger-text': red[7],
    '--dd-danger-soft': red[0],
    '--dd-warning-text': '#7a4d00',
    '--dd-warning-soft': '#fff5dc',
    '--dd-warning-line': '#ecd59a',
  },
  dark: {
    '--mantine-color-body': dark[8],
    '--mantine-color-text': dark[0],
    '--mantine-color-dimmed': dark[2],
    '--mantine-color-placeholder': '#87928d',
    '--mantine-color-error': red[3],
    '--mantine-color-anchor': pine[3],
    // Buttons that name neither variant nor colour read these instead of asking the resolver above.
    '--mantine-primary-color-filled': pine[4],
    '--mantine-primary-color-filled-hover': pine[3],
    '--mantine-color-default': dark[6],
    '--mantine-color-default-hover': dark[5],
    '--mantine-color-default-border': dark[4],
    '--dd-page': dark[8],
    '--dd-surface': dark[7],
    '--dd-sunken': dark[9],
    '--dd-line': '#28302d',
    '--dd-line-strong': '#46514d',
    '--dd-text': dark[0],
    '--dd-text-dim': dark[2],
    '--dd-accent': pine[4],
    '--dd-accent-hover': pine[3],
    '--dd-on-accent': '#06160f',
    '--dd-accent-text': pine[3],
    '--dd-accent-soft': '#12291f',
    '--dd-danger-text': red[3],
    '--dd-danger-soft': '#2c1715',
    '--dd-warning-text': '#f2cf7e',
    '--dd-warning-soft': '#2a2212',
    '--dd-warning-line': '#574722',
  },
})
