import type { Page } from '@playwright/test'

/**
 * Says by how much the page is higher than its window, or has been scrolled: on the screens of a workspace
 * only their parts scroll, never the frame.
 */
export const findFrameOverflow = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    if (!document.querySelector('.app')) return []
    const scrolled = [...document.querySelectorAll('html, body, .app, .app > *')].filter(
      (one) => one.scrollTop !== 0 && !one.matches('.side'),
    )
    const { scrollHeight, clientHeight } = document.documentElement
    return [
      ...scrolled.map(
        ({ tagName, className, scrollTop }) =>
          `${tagName}.${className} has been scrolled by ${scrollTop} px`,
      ),
      ...(scrollHeight > clientHeight
        ? [`the page is ${scrollHeight} high of ${clientHeight}`]
        : []),
    ]
  })
