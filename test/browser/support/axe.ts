import assert from 'node:assert/strict'
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

type Theme = 'light' | 'dark'

interface Looked {
  themes?: readonly Theme[]
  /** Rules that are left out, because something else looks at them. */
  without?: string[]
}

/** Fails on anything that axe finds in the page as it stands, in both themes. */
export async function accessible(
  page: Page,
  { themes = ['light', 'dark'], without = [] }: Looked = {},
): Promise<void> {
  for (const colorScheme of themes) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    const axe = new AxeBuilder({ page }).options({ resultTypes: ['violations'] })
    const { violations } = await axe.withTags(RULES).disableRules(without).analyze()
    const found = violations.flatMap(({ id, help, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id} (${help}) at ${target}: ${failureSummary}`),
    )
    assert.deepEqual(found, [], `${page.url()} in ${colorScheme}`)
  }
}
