import assert from 'node:assert/strict'
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** What a theme can break: it changes colours alone. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block']

/** A script for a page that has axe already: half a megabyte is not sent and read again. */
const NOTHING = 'undefined'

type Theme = 'light' | 'dark'

interface Looked {
  themes?: readonly Theme[]
  /** These alone in the first theme. */
  rules?: string[]
  /** Rules that are left out, because something else looks at them. */
  without?: string[]
}

/** Fails on anything that axe finds in the page as it stands, and on colours of each theme. */
export async function accessible(
  page: Page,
  { themes = ['light', 'dark'], rules, without = [] }: Looked = {},
): Promise<void> {
  for (const [at, colorScheme] of themes.entries()) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    // Without frames of other origins, which the policy forbids, a report needs no page of its own: three times faster.
    const axe = new AxeBuilder({ page, ...((await isThere(page)) && { axeSource: NOTHING }) })
      .setLegacyMode()
      // Whatever passes would be described as well, node by node.
      .options({ resultTypes: ['violations'] })
    const named = at === 0 ? rules : COLOUR_RULES
    if (named) axe.withRules(named.filter((rule) => !without.includes(rule)))
    else axe.withTags(TAGS).disableRules(without)
    const { violations } = await axe.analyze()
    const found = violations.flatMap(({ id, help, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id} (${help}) at ${target}: ${failureSummary}`),
    )
    assert.deepEqual(found, [], `${page.url()} in ${colorScheme}`)
  }
}

const isThere = (page: Page): Promise<boolean> => page.evaluate(() => 'axe' in window)
