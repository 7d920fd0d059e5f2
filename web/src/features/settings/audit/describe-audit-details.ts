import { formatDayTime } from '../../../lib/dates/instant.ts'
import { roleMessages } from '../../../messages/app/roles.ts'
import { auditMessages } from '../../../messages/settings/audit.ts'

const ROLES: Readonly<Record<string, { name: string }>> = roleMessages

/** The details of an entry in words. `nameOf` names a person or a project by its id. */
export function describeAuditDetails(
  { from, to, ...rest }: Readonly<Record<string, unknown>>,
  nameOf: (id: string) => string,
): string {
  const toText = (value: unknown): string => {
    if (value === null) return auditMessages.nothing
    if (Array.isArray(value)) return value.map(toText).join(' ')
    if (typeof value === 'object' && value && 'to' in value && 'from' in value)
      return `${toText(value.from)} → ${toText(value.to)}`
    if (typeof value !== 'string') return String(value)
    if (/^(usr|prj)_/.test(value)) return nameOf(value)
    if (/^\d{4}-\d\d-\d\dT/.test(value)) return formatDayTime(value)
    return auditMessages.values[value] ?? ROLES[value]?.name ?? value.replaceAll('_', ' ')
  }
  const isEmpty = (value: unknown) => value === null || (Array.isArray(value) && value.length === 0)
  return [
    ...(to === undefined ? [] : [toText({ from, to })]),
    ...Object.entries(rest)
      .filter(([, value]) => !isEmpty(value))
      .map(([name, value]) => `${auditMessages.details[name] ?? name}: ${toText(value)}`),
  ].join(', ')
}
