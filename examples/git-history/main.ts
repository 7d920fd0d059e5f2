import { parseArgs } from 'node:util'
import { createDocketClient, type DocketClient } from './docket.ts'
import { importHistory } from './load.ts'
import { createProgressReporter } from './progress.ts'
import type { ProjectRecord } from './records.ts'

const USAGE = `Usage: DOCKET_API_KEY=dkt_… npx node examples/git-history/main.ts <repository> --project <id or prefix>

  --url <origin>        where Docket is; default: DOCKET_URL or http://127.0.0.1:4000
  --revisions <range>   what git log is asked for; default: HEAD
  --dry-run             checks all and stores nothing
  --again               makes anew what was deleted less than a day after it was made

Progress goes to stderr; stdout gets one line of JSON that tells what was done.`

const { values, positionals } = argumentsOrExit()
const [repository = '', ...others] = positionals
const key = process.env.DOCKET_API_KEY ?? ''
if (!repository || others.length > 0 || !values.project || !key) exit(2, USAGE)

const began = performance.now()
const progress = createProgressReporter()
const api = createDocketClient({
  url: (values.url ?? process.env.DOCKET_URL ?? 'http://127.0.0.1:4000').replace(/\/$/, ''),
  key,
  keySalt: values.again ? crypto.randomUUID() : '',
  onWait: progress.waits,
})

try {
  const project = await projectOf(api, values.project)
  const counted = await importHistory(api, project, {
    repository,
    revisions: values.revisions,
    dryRun: values['dry-run'],
    onBatch: progress.batch,
    onRefused: progress.refused,
  })
  progress.end(counted)
  const seconds = Math.round((performance.now() - began) / 100) / 10
  console.log(JSON.stringify({ ...counted, ...api.counted, seconds }))
  if (counted.tasks_refused > 0) process.exitCode = 1
} catch (error) {
  const reason = error instanceof Error ? error.message : String(error)
  exit(1, `\n${reason}\nNothing is lost: the same command goes on where it stopped.`)
}

/** A project by its id, or the one with this prefix. */
async function projectOf(api: DocketClient, wanted: string): Promise<ProjectRecord> {
  const project = wanted.startsWith('prj_')
    ? await api.get<ProjectRecord>(`/api/v1/projects/${encodeURIComponent(wanted)}`)
    : await withPrefix(api, wanted.toUpperCase())
  if (project.status === 'archived') throw new Error(`Project ${project.name} is archived.`)
  return project
}

async function withPrefix(api: DocketClient, prefix: string): Promise<ProjectRecord> {
  for await (const project of api.list<ProjectRecord>('/api/v1/projects')) {
    if (project.prefix === prefix) return project
  }
  throw new Error(`No project with prefix ${prefix} is visible to this API key.`)
}

function argumentsOrExit() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        project: { type: 'string' },
        url: { type: 'string' },
        revisions: { type: 'string', default: 'HEAD' },
        'dry-run': { type: 'boolean', default: false },
        again: { type: 'boolean', default: false },
      },
    })
  } catch (error) {
    return exit(2, `${error instanceof Error ? error.message : error}\n\n${USAGE}`)
  }
}

function exit(code: number, reason: string): never {
  console.error(reason)
  process.exit(code)
}
