import { germanApplications as buttonLabels } from '../../web/src/messages/de/settings/applications.ts'
import { browserTest } from '../browser/support/browser-test.ts'
import {
  checkScreens,
  NARROW_WIDTHS,
  SCREEN_HALVES,
  type ScreenVariant,
} from '../browser/support/screens/check-screens.ts'

/** The rules that depend on the words. Other texts break the rest in the pseudo-locale, too. */
const axeOptions: ScreenVariant['axeOptions'] = {
  themes: ['light'],
  rules: ['label-content-name-mismatch', 'target-size'],
}

for (const half of SCREEN_HALVES) {
  browserTest(`every screen is accessible and clips no text: German, ${half + 1} of 2`, (fixture) =>
    checkScreens(fixture, half, {
      locale: 'de',
      buttonLabels,
      axeOptions,
      narrowWidths: NARROW_WIDTHS,
    }),
  )
}
