import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { generateClient } from './clients/generate-client.ts'

/** Writes what the client library has from the endpoints: `npx node tools/generate-client.ts`. */
const folder = join(import.meta.dirname, '../sdk/src')
for (const [name, text] of Object.entries(generateClient())) {
  writeFileSync(join(folder, name), text)
  execFileSync('node_modules/.bin/biome', ['check', '--write', join(folder, name)])
}
