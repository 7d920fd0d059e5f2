import type { Page } from '@playwright/test'

/**
 * Makes a page open the API reference with the sections of these operations only. All of them have
 * 38,000 nodes, which take most of the time of a test that uses one. Call it before the page is
 * opened.
 */
export const openOnlyOperations = (page: Page, operationIds: readonly string[]): Promise<unknown> =>
  page.addInitScript(
    (ids) => {
      // It is 'interactive' before deferred scripts run, and before the first layout of most sections.
      document.addEventListener('readystatechange', () => {
        for (const section of document.querySelectorAll('section.entry[id]')) {
          if (!ids.includes(section.id)) section.remove()
        }
      })
    },
    operationIds.map((id) => `op-${id}`),
  )

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
