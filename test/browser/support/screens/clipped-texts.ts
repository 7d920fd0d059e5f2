import type { Page } from '@playwright/test'

/**
 * Lists texts of the page that overflow their button, label, heading or cell of a table, cross the
 * line of the gutter, or are cut off without an ellipsis.
 */
export const findClippedTexts = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const found: string[] = []
    const { scrollWidth } = document.documentElement
    if (scrollWidth > innerWidth) {
      const outside = [...document.querySelectorAll<HTMLElement>('body *')].filter((one) => {
        const { left, right } = one.getBoundingClientRect()
        return left < 0 || right > innerWidth
      })
      const names = outside.slice(0, 10).map(({ tagName, className }) => `${tagName}.${className}`)
      found.push(`the page is ${scrollWidth} wide of ${innerWidth}: ${names.join(', ')}`)
    }
    for (const one of document.querySelectorAll<HTMLElement>('.table .row > *')) {
      const overflow = one.scrollWidth - one.clientWidth
      if (overflow > 1 && one.clientWidth > 2 && getComputedStyle(one).overflowX === 'visible') {
        found.push(`the cell “${one.textContent?.slice(0, 40)}” is ${overflow} px too narrow`)
      }
    }
    for (const one of document.querySelectorAll<HTMLElement>('.paper:not(.on-desk) .gut')) {
      const paper = one.closest('.paper')
      if (!paper || one.textContent === '') continue
      const [sheet, label] = [paper.getBoundingClientRect(), one.getBoundingClientRect()]
      const { direction, fontSize } = getComputedStyle(document.documentElement)
      const ends = direction === 'rtl' ? sheet.right - label.left : label.right - sheet.left
      const gutter = Number.parseFloat(getComputedStyle(paper).getPropertyValue('--gutter'))
      const over = Math.round(ends - gutter * Number.parseFloat(fontSize))
      // The properties of a wide page have a gutter of their own.
      if (over > 1 && over < label.width) {
        found.push(`the label “${one.textContent?.slice(0, 40)}” crosses the gutter by ${over} px`)
      }
    }
    for (const one of document.querySelectorAll<HTMLElement>('body *')) {
      const text = [...one.childNodes].some(
        ({ nodeType, nodeValue }) => nodeType === 3 && nodeValue?.trim(),
      )
      const box = one.getBoundingClientRect()
      if (!text || box.width <= 2 || one.closest('.sr, svg, pre, code')) continue
      const { overflowX, textOverflow, display } = getComputedStyle(one)
      if (display === 'inline' || textOverflow === 'ellipsis') continue
      // Other texts may overflow their box on purpose, as the labels of an axis do.
      const mustFit =
        overflowX !== 'visible' || one.matches('button, a, label, legend, th, h1, h2, h3, .gut')
      const overflow = one.scrollWidth - one.clientWidth
      if (mustFit && overflow > 1 && !/auto|scroll/.test(overflowX)) {
        found.push(
          `${one.tagName}.${one.className} “${one.textContent?.slice(0, 40)}”: ${overflow} px`,
        )
      }
    }
    return found
  })
