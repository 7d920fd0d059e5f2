import { useId } from 'react'
import { useBoot } from '../../../data/boot.ts'
import { m } from '../../../messages/audit.ts'
import type { Wanted } from './queries.ts'

export const ANY: Wanted = { action: '', user_id: '' }

interface Props {
  wanted: Wanted
  onChange: (wanted: Wanted) => void
}

/** Narrows the log by what was done and by whom, former members too. */
export function Filters({ wanted, onChange }: Props) {
  const { members, former } = useBoot()
  const id = useId()
  const choices = [
    { name: 'action', label: m.filterAction, options: Object.entries(m.actions) },
    {
      name: 'user_id',
      label: m.filterPerson,
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
              value={wanted[name]}
              onChange={({ target }) => onChange({ ...wanted, [name]: target.value })}
            >
              <option value="">{m.any}</option>
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
