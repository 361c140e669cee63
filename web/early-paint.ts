import type { Plugin } from 'vite'

/**
 * Moves the page's sheets behind what it shows by itself, which a browser then paints without waiting for them. The
 * program still does: no script runs before the sheets that stand before its end. It comes after them on slow
 * connections too, since the page has something to show without it.
 */
export function earlyPaint(): Plugin {
  return {
    name: 'early-paint',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html) {
        const sheets = html.match(/^\s*<link rel="stylesheet"[^>]*>\n/gm) ?? []
        const without = sheets.reduce((text, sheet) => text.replace(sheet, ''), html)
        return without
          .replace('<script type="module" ', '<script type="module" fetchpriority="low" ')
          .replace('</body>', `${sheets.join('')}  </body>`)
      },
    },
  }
}
