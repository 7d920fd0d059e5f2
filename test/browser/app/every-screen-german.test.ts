import { germanApplications as buttonLabels } from '../../../web/src/messages/de/settings/applications.ts'
import { browserTest } from '../support/browser-test.ts'
import { checkScreens, SCREEN_HALVES, TEXT_RULES } from '../support/screens/check-screens.ts'

for (const half of SCREEN_HALVES) {
  browserTest(`every screen is accessible and clips no text: German, ${half + 1} of 2`, (fixture) =>
    checkScreens(fixture, half, { locale: 'de', buttonLabels, axeOptions: TEXT_RULES }),
  )
}
