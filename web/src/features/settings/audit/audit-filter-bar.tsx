import { useId } from 'react'
import { useBoot } from '../../../data/session/boot.ts'
import { auditMessages } from '../../../messages/settings/audit.ts'
import type { AuditFilterValues } from './audit-queries.ts'

export const EMPTY_AUDIT_FILTERS: AuditFilterValues = { action: '', user_id: '' }

interface AuditFilterBarProps {
  values: AuditFilterValues
  onChange: (values: AuditFilterValues) => void
}

/** Filters the log by action and by person, former members included. */
export function AuditFilterBar({ values, onChange }: AuditFilterBarProps) {
  const { members, former } = useBoot('members', 'former')
  const id = useId()
  const choices = [
    {
      name: 'action',
      label: auditMessages.filterAction,
      options: Object.entries(auditMessages.actions),
    },
    {
      name: 'user_id',
      label: auditMessages.filterPerson,
      options: [...members, ...former].map((one) => [one.id, one.name] as const),
    },
  ] as const
  return (
    <div className="line log-filters">
      <span className="gut" />
      <div className="acts">
        {choices.map(({ name, label, options }) => (
          <span key={name} className="narrowed">
            <label htmlFor={`${id}-${name}`}>{label}</label>
            <select
              id={`${id}-${name}`}
              className="field"
              value={values[name]}
              onChange={({ target }) => onChange({ ...values, [name]: target.value })}
            >
              <option value="">{auditMessages.any}</option>
              {options.map(([value, text]) => (
                <option key={value} value={value}>
                  {text}
                </option>
              ))}
            </select>
          </span>
        ))}
      </div>
    </div>
  )
}
