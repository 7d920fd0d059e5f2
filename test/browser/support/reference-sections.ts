import type { Page } from '@playwright/test'

/**
 * Removes each section of the open page that looks like earlier ones: its elements have the names,
 * classes and parents of elements before it, which determine their colours.
 */
export const removeRepeatedSections = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const seen = new Set<string>()
    const nameOf = (element: Element | null) =>
      `${element?.localName}.${element?.getAttribute('class')}`
    for (const section of document.querySelectorAll('section.entry')) {
      const before = seen.size
      for (const element of section.querySelectorAll('*')) {
        seen.add(`${nameOf(element.parentElement)} ${nameOf(element)}`)
      }
      if (seen.size === before) section.remove()
    }
  })
