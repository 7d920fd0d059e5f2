import { createFindings, type Finding } from '#doctor/finding.ts'
import { runDoctor } from '#doctor/run-doctor.ts'
import { readSettingSources } from '../../config/config.ts'
import { defineCommand } from '../arguments.ts'

/** The output of `doctor` with --json. */
interface DoctorReport {
  status: Finding['status']
  checks: Finding[]
}

const settings = createFindings('settings')

const doctor = defineCommand({
  access: 'read',
  name: 'doctor',
  summary: 'Check settings, disk, database, clock, email and bucket, and suggest fixes',
  options: {},
  async run({ config }) {
    return toReport([checkSettings(process.env), ...(await runDoctor(config))])
  },
  misconfigured: (mistakes) =>
    toReport(
      mistakes.map((mistake) =>
        settings.failed(
          mistake,
          'Correct or remove it in the environment; docket settings lists what is in force.',
        ),
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

function checkSettings(env: Record<string, string | undefined>): Finding {
  const { readings } = readSettingSources(env)
  const count = readings.filter(({ source }) => source !== 'default').length
  return settings.ok(`${count} set, the others use their defaults`)
}

const STATUS_LABELS = { ok: 'ok     ', warning: 'WARNING', failed: 'FAILED ' }

function formatFinding({ check, status, message, remedy }: Finding): string {
  const line = `${STATUS_LABELS[status]}  ${check.padEnd(14)}  ${message}`
  return remedy === undefined ? line : `${line}\n${' '.repeat(25)}→ ${remedy}`
}
