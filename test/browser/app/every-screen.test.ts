import { applicationMessages as buttonLabels } from '../../../web/src/messages/settings/applications.ts'
import { browserTest } from '../support/browser-test.ts'
import { checkScreens, PHONE_WIDTHS, SCREEN_HALVES } from '../support/screens/check-screens.ts'

for (const half of SCREEN_HALVES) {
  browserTest(
    `every screen is accessible, clips no text and fits a finger: English, ${half + 1} of 2`,
    (fixture) =>
      checkScreens(fixture, half, {
        locale: 'en',
        buttonLabels,
        axeOptions: {},
        narrowWidths: PHONE_WIDTHS,
        hasTargets: true,
      }),
  )
}
