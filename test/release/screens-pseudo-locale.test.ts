import { applicationMessages as english } from '../../web/src/messages/settings/applications.ts'
import { browserTest } from '../browser/support/browser-test.ts'
import {
  checkScreens,
  NARROW_WIDTHS,
  SCREEN_HALVES,
  TEXT_RULES,
} from '../browser/support/screens/check-screens.ts'
import { buildPseudoLocale } from '../browser/support/screens/pseudo-locale-build.ts'
import { toPseudoLocale } from '../browser/support/screens/pseudo-messages.ts'

const buttonLabels = toPseudoLocale(english)
// Accents are added to names within accessible names, but not to the visible names beside them.
const axeOptions = { ...TEXT_RULES, without: ['label-content-name-mismatch'] }
let building: Promise<string> | undefined

for (const half of SCREEN_HALVES) {
  browserTest(
    `every screen fits longer, right-to-left texts: pseudo-locale, ${half + 1} of 2`,
    async (fixture) => {
      building ??= buildPseudoLocale()
      // Hebrew formats the dates, and tells React Aria that the text runs from right to left.
      await checkScreens(fixture, half, {
        locale: 'he',
        buttonLabels,
        axeOptions,
        narrowWidths: NARROW_WIDTHS,
        buildDir: await building,
      })
    },
  )
}
