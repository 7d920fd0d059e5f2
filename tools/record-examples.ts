import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { EXAMPLES_FOLDER } from '#http/openapi/recorded-examples.ts'
import {
  EVENT_GUIDE,
  replaceEventSamples,
  toExampleFiles,
} from '../test/support/examples/example-files.ts'
import { recordExamples } from '../test/support/examples/record-examples.ts'

/**
 * Records the examples of the API reference and of the guide to event types again:
 * `npx node tools/record-examples.ts`. Read the difference before you commit it.
 */
const recording = await recordExamples()
rmSync(EXAMPLES_FOLDER, { recursive: true, force: true })
for (const [name, value] of toExampleFiles(recording)) {
  const path = join(EXAMPLES_FOLDER, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, JSON.stringify(value))
}
execFileSync('node_modules/.bin/biome', ['format', '--write', EXAMPLES_FOLDER])
writeFileSync(EVENT_GUIDE, replaceEventSamples(readFileSync(EVENT_GUIDE, 'utf8'), recording))
