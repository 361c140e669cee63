import type { Page } from '@playwright/test'

const least = 44

/**
 * What can be pressed on the page as it stands and is less than a fingertip high or wide. Only links within a sentence may
 * be: lines that far apart could not be read.
 */
export function smallTargets(page: Page): Promise<string[]> {
  return page.evaluate((least) => {
    const pressed = 'a[href], button, input, select, textarea, summary, [role="button"], [role="tab"]'
    const isShown = (element: Element) =>
      element.checkVisibility({ visibilityProperty: true, opacityProperty: false })
    const boxOf = (element: Element) => {
      // A label is pressed for its field, and a link that covers its card is as large as that.
      const field = element.matches('input')
        ? (element.closest('label') ?? document.querySelector(`label[for="${CSS.escape(element.id)}"]`))
        : null
      const whole = element.matches('article a, li a') ? element.closest('article, li') : null
      const boxes = [element, field, whole].flatMap((one) => (one ? [one.getBoundingClientRect()] : []))
      return {
        width: Math.max(...boxes.map(({ width }) => width)),
        height: Math.max(...boxes.map(({ height }) => height)),
      }
    }
    return [...document.querySelectorAll(pressed)].flatMap((element) => {
      if (!isShown(element) || element.closest('[inert]')) return []
      if (element.matches('p a, dd a') && getComputedStyle(element).display === 'inline') return []
      const { width, height } = boxOf(element)
      const name = element.getAttribute('aria-label') ?? (element.textContent?.trim() || element.id)
      if (width === 0) return []
      // Half a pixel is lost to rounding.
      return Math.min(width, height) < least - 0.5
        ? [`${element.tagName.toLowerCase()} ${name}: ${Math.round(width)} × ${Math.round(height)}`]
        : []
    })
  }, least)
}
