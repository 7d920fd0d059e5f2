// In a program of your own, import these from 'docket-client' and its 'changes' and 'changes/node'.
import { Mirror } from '../../sdk/src/changes.ts'
import { FileStore, SqliteStore } from '../../sdk/src/changes-node.ts'
import { Docket } from '../../sdk/src/index.ts'

const { DOCKET_URL, DOCKET_KEY } = process.env
const [path, option] = process.argv.slice(2)
const isFollowing = option === '--follow'

if (!DOCKET_URL || !DOCKET_KEY || !path || (option && !isFollowing)) {
  console.error(
    'Usage: DOCKET_URL=https://… DOCKET_KEY=dkt_… npx node examples/mirror/main.ts PATH [--follow]',
  )
  process.exit(2)
}

const docket = new Docket({ baseUrl: DOCKET_URL, token: DOCKET_KEY })
const store = await (path.endsWith('.db') ? SqliteStore : FileStore).open(path)
let count = 0
for await (const { data, has_more } of new Mirror(docket, store).follow()) {
  count += data.length
  if (has_more || (isFollowing && count === 0)) continue
  console.log(`${count} changes`)
  count = 0
  if (!isFollowing) break
}
