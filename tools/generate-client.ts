import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { GENERATED_FOLDER, generateClient } from './clients/generate-client.ts'

/** Writes what the client library has from the endpoints: `npx node tools/generate-client.ts`. */
for (const [name, text] of Object.entries(generateClient())) {
  writeFileSync(join(GENERATED_FOLDER, name), text)
}
