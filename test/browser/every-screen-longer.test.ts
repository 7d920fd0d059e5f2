import { m as english } from '../../web/src/messages/applications.ts'
import { browse } from './support/browse.ts'
import { eachScreen, HALVES, OF_TEXTS } from './support/each-screen.ts'
import { pseudoBuild } from './support/pseudo-build.ts'
import { pseudo } from './support/pseudo-say.ts'

const words = pseudo(english)
// A name in an accessible name gets accents, too; beside it stands the name as it is.
const look = { ...OF_TEXTS, without: ['label-content-name-mismatch'] }
let building: Promise<string> | undefined

for (const half of HALVES) {
  browse(
    `every screen has room for longer words from right to left, ${half + 1} of 2`,
    async (scene) => {
      building ??= pseudoBuild()
      // Hebrew is what dates are written in, and by what React Aria knows the direction.
      await eachScreen(scene, half, { locale: 'he', words, look, folder: await building })
    },
  )
}
