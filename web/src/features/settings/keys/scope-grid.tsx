import { isScope, type Scope } from '#wire/scopes.ts'
import { m } from '../../../messages/api-keys.ts'
import { useForm } from '../../../ui/form.tsx'
import { GroupLine } from '../../../ui/group-line.tsx'
import { ACTIONS, RESOURCES, toggled } from './chosen.ts'

interface Props {
  chosen: Scope[]
  onChange: (scopes: Scope[]) => void
  hint?: string
}

/** Resources down, actions across; deleting stands apart, because it is a right of its own. */
export function ScopeGrid({ chosen, onChange, hint = m.deleteApart }: Props) {
  const wrong = useForm().errorAt('scopes')
  return (
    <GroupLine label={m.grid} hint={hint} error={wrong}>
      <input type="hidden" name="scopes" />
      <table className="scope-grid" aria-label={m.grid}>
        <thead>
          <tr>
            <td />
            {ACTIONS.map((action) => (
              <th key={action} scope="col" data-a={action}>
                {m.actions[action]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {RESOURCES.map(({ name, actions }) => (
            <tr key={name}>
              <th scope="row">{m.resources[name]}</th>
              {ACTIONS.map((action) => {
                const scope = `${name}:${action}`
                return (
                  <td key={action} data-a={action}>
                    {actions.includes(action) && isScope(scope) && (
                      <label className="hit">
                        <input
                          type="checkbox"
                          aria-label={m.cell(m.resources[name] ?? name, m.actions[action])}
                          checked={chosen.includes(scope)}
                          onChange={() => onChange(toggled(chosen, scope))}
                        />
                      </label>
                    )}
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </GroupLine>
  )
}
