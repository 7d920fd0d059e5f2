import { examine } from '#doctor/examine.ts'
import { type Finding, findings } from '#doctor/finding.ts'
import { configFrom } from '../config.ts'
import { command } from './command.ts'

/** What `doctor` prints with --json. */
interface Report {
  status: Finding['status']
  checks: Finding[]
}

const settings = findings('settings')

const doctor = command({
  name: 'doctor',
  summary: 'Look at settings, disk, database, clock, mail and address, and say what to do',
  options: {},
  async run({ config, storage }) {
    return reportOf([...settingsFound(process.env), ...(await examine(config, storage))])
  },
  misconfigured: (mistakes) =>
    reportOf(mistakes.map((mistake) => settings.failed(mistake, 'Correct the environment.'))),
  failed: (printed) => 'status' in printed && printed.status === 'failed',
  text: (printed) =>
    ('checks' in printed ? (printed.checks as Finding[]) : []).map(lineOf).join('\n'),
})

export const doctorCommands = [doctor]

function reportOf(checks: Finding[]): Report {
  const worst = (['failed', 'warning'] as const).find((one) =>
    checks.some(({ status }) => status === one),
  )
  return { status: worst ?? 'ok', checks }
}

/** A name that no setting has is a slip of the pen. */
function settingsFound(env: Record<string, string | undefined>): Finding[] {
  const known = new Set<string>()
  const asked = { get: (_: object, name: string) => void known.add(name) }
  configFrom(new Proxy<Record<string, undefined>>({}, asked))
  const given = Object.keys(env).filter((name) => name.startsWith('DOCKET_'))
  const strange = given.filter((name) => !known.has(name))
  if (strange.length === 0) return [settings.ok(`${given.length} set, the others by default`)]
  const how = 'Correct the name, or take it away; docs/operations.md lists the settings.'
  return strange.map((name) => settings.warning(`${name} is no setting`, how))
}

const MARKS = { ok: 'ok     ', warning: 'WARNING', failed: 'FAILED ' }

function lineOf({ check, status, message, remedy }: Finding): string {
  const line = `${MARKS[status]}  ${check.padEnd(14)}  ${message}`
  return remedy === undefined ? line : `${line}\n${' '.repeat(25)}→ ${remedy}`
}
