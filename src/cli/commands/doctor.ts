import { createFindings, type Finding } from '#doctor/finding.ts'
import { runDoctor } from '#doctor/run-doctor.ts'
import { CLIENT_VARIABLES, listSettingNames } from '../../config/setting-names.ts'
import { defineCommand } from '../command.ts'

/** The output of `doctor` with --json. */
interface DoctorReport {
  status: Finding['status']
  checks: Finding[]
}

const settings = createFindings('settings')

const doctor = defineCommand({
  name: 'doctor',
  summary: 'Check settings, disk, database, clock, email and base URL, and suggest fixes',
  options: {},
  async run({ config, storage }) {
    return toReport([...checkSettings(process.env), ...(await runDoctor(config, storage))])
  },
  misconfigured: (mistakes) =>
    toReport(
      mistakes.map((mistake) =>
        settings.failed(mistake, 'Correct this setting in the environment.'),
      ),
    ),
  isFailure: (result) => 'status' in result && result.status === 'failed',
  format: (result) =>
    ('checks' in result ? (result.checks as Finding[]) : []).map(formatFinding).join('\n'),
})

export const doctorCommands = [doctor]

function toReport(checks: Finding[]): DoctorReport {
  const worst = (['failed', 'warning'] as const).find((one) =>
    checks.some(({ status }) => status === one),
  )
  return { status: worst ?? 'ok', checks }
}

/** Warns about unknown DOCKET_ variables, which are most likely misspelled. */
function checkSettings(env: Record<string, string | undefined>): Finding[] {
  const known = listSettingNames()
  const names = Object.keys(env).filter((name) => name.startsWith('DOCKET_'))
  const unknown = names.filter((name) => !known.has(name) && !CLIENT_VARIABLES.has(name))
  const count = names.filter((name) => known.has(name)).length
  if (unknown.length === 0) return [settings.ok(`${count} set, the others use their defaults`)]
  const how = 'Correct or remove the variable; docs/operations.md lists all settings.'
  return unknown.map((name) => settings.warning(`unknown setting: ${name}`, how))
}

const STATUS_LABELS = { ok: 'ok     ', warning: 'WARNING', failed: 'FAILED ' }

function formatFinding({ check, status, message, remedy }: Finding): string {
  const line = `${STATUS_LABELS[status]}  ${check.padEnd(14)}  ${message}`
  return remedy === undefined ? line : `${line}\n${' '.repeat(25)}→ ${remedy}`
}
