import assert from 'node:assert/strict'
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** Themes change only colours, so these rules suffice for the second one. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block']

/** An open dialog, which makes the screen behind it inert. */
export const OPEN_DIALOG = 'dialog[open], [role=dialog]'

/** Replaces the script where a page has axe already, which saves half a megabyte each time. */
const EMPTY_SCRIPT = 'undefined'

type AxeTheme = 'light' | 'dark'

interface AccessibilityOptions {
  themes?: readonly AxeTheme[]
  /** Only these rules in the first theme; all WCAG rules without it. */
  rules?: string[]
  /** Rules to skip because something else checks them. */
  without?: string[]
  /** The part to check, of a page that another test checks as a whole. */
  within?: string
}

/** Fails on anything that axe finds in the current page, and on the colours of each theme. */
export async function assertAccessible(
  page: Page,
  { themes = ['light', 'dark'], rules, without = [], within }: AccessibilityOptions = {},
): Promise<void> {
  if (within) await page.locator(within).first().waitFor()
  for (const [at, colorScheme] of themes.entries()) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    // Legacy mode opens no extra page for the report, which is three times faster. It only lacks
    // frames of other origins, which the policy forbids.
    const axe = new AxeBuilder({ page, ...((await hasAxe(page)) && { axeSource: EMPTY_SCRIPT }) })
      .setLegacyMode()
      // Otherwise passed checks would be described as well, node by node.
      .options({ resultTypes: ['violations'] })
    if (within) axe.include(within)
    const onlyRules = at === 0 ? rules : COLOUR_RULES
    if (onlyRules) axe.withRules(onlyRules.filter((rule) => !without.includes(rule)))
    else axe.withTags(TAGS).disableRules(without)
    const { violations } = await axe.analyze()
    const found = violations.flatMap(({ id, help, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id} (${help}) at ${target}: ${failureSummary}`),
    )
    assert.deepEqual(found, [], `${page.url()} in ${colorScheme}`)
  }
}

const hasAxe = (page: Page): Promise<boolean> => page.evaluate(() => 'axe' in window)
