import { setPriority } from 'node:os'
import { resolve } from 'node:path'
import { exportWorkspace } from '#archive/export.ts'
import { importWorkspace } from '#archive/import.ts'
import { openFiles } from '#files/open.ts'
import { Line, Optional } from '#wire/schema.ts'
import { command } from './command.ts'
import { IdOf, Name, PlanName } from './options.ts'
import { openProgress } from './progress.ts'

const Path = (description: string) => Line(1, 4_096, { description })

/** As `nice` counts. */
const LOW = 10

const write = command({
  name: 'export',
  summary: 'Save one workspace to a file, beside a running server; no secret is in it',
  options: {
    workspace: IdOf('workspace'),
    to: Path('A new file, such as acme.docket.tar'),
  },
  async run({ config, storage }, { workspace: workspace_id, to }) {
    const opened = await storage()
    // Requests go first.
    setPriority(LOW)
    const progress = openProgress('Exporting')
    const wanted = { workspace_id, to: resolve(to), told: progress.told }
    const made = exportWorkspace(opened, openFiles(config), wanted)
    const { archive, size, sha256, manifest, lost_examples } = await made.finally(progress.end)
    const lines = Object.fromEntries(manifest.parts.map((one) => [one.part, one.lines]))
    return {
      ...{ archive, workspace_id, made_at: manifest.made_at, bytes: size, sha256 },
      ...{ lines, files: { ...manifest.files, lost_examples } },
    }
  },
  failed: anyLost,
})

const read = command({
  name: 'import',
  summary: 'Make a workspace of a file that export has written: all of it, or nothing',
  options: {
    file: Path('The file that export has written'),
    name: Optional(Name),
    plan: Optional(PlanName),
  },
  places: ['file'],
  async run({ config, storage }, { file, name, plan }) {
    const opened = await storage()
    const progress = openProgress('Importing')
    const wanted = { from: file, name, plan, told: progress.told }
    const imported = await importWorkspace(opened, openFiles(config), wanted).finally(progress.end)
    const next = 'Webhooks are off and applications have no secret: give them new ones.'
    return { ...imported, next }
  },
  failed: anyLost,
})

export const archiveCommands = [write, read]

/** Some attachments have no bytes: the rest is as it was. */
function anyLost(printed: object): boolean {
  return 'files' in printed && (printed.files as { lost: number }).lost > 0
}
