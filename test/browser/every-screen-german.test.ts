import { applications as words } from '../../web/src/messages/de/applications.ts'
import { browse } from './support/browse.ts'
import { eachScreen, HALVES, OF_TEXTS } from './support/each-screen.ts'

for (const half of HALVES) {
  browse(`every screen is accessible, and its texts have room: German, ${half + 1} of 2`, (scene) =>
    eachScreen(scene, half, { locale: 'de', words, look: OF_TEXTS }),
  )
}
