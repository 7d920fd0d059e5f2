import type { Page } from '@playwright/test'

/**
 * Texts of the page that do not fit where they stand, a line each: wider than their button, label or heading, or cut
 * without a sign of it. What ends in dots says so itself.
 */
export const clipped = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const found: string[] = []
    const { scrollWidth } = document.documentElement
    if (scrollWidth > innerWidth) found.push(`the page is ${scrollWidth} wide of ${innerWidth}`)
    for (const one of document.querySelectorAll<HTMLElement>('body *')) {
      const text = [...one.childNodes].some(
        ({ nodeType, nodeValue }) => nodeType === 3 && nodeValue?.trim(),
      )
      const box = one.getBoundingClientRect()
      if (!text || box.width <= 2 || one.closest('.sr, svg, pre, code')) continue
      const { overflowX, textOverflow, display } = getComputedStyle(one)
      if (display === 'inline' || textOverflow === 'ellipsis') continue
      // Elsewhere a text may stand beyond its box, as the marks of an axis do.
      const held =
        overflowX !== 'visible' || one.matches('button, a, label, legend, th, h1, h2, h3, .gut')
      const more = one.scrollWidth - one.clientWidth
      if (held && more > 1 && !/auto|scroll/.test(overflowX)) {
        found.push(`${one.tagName}.${one.className} “${one.textContent?.slice(0, 40)}”: ${more} px`)
      }
    }
    return found
  })
