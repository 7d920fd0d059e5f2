import { isScope, type Scope } from '#wire/scopes.ts'
import { apiKeyMessages } from '../../../messages/settings/api-keys.ts'
import { FieldGroup } from '../../../ui/form/field-group.tsx'
import { useForm } from '../../../ui/form/form.tsx'
import { SCOPE_ACTIONS, SCOPE_RESOURCES, toggleScope } from './scope-selection.ts'

interface ScopeGridProps {
  chosen: Scope[]
  onChange: (scopes: Scope[]) => void
  hint?: string
}

/** A table of resources and actions. Deletion has its own column: write does not imply it. */
export function ScopeGrid({ chosen, onChange, hint = apiKeyMessages.deleteApart }: ScopeGridProps) {
  const error = useForm().errorAt('scopes')
  return (
    <FieldGroup label={apiKeyMessages.grid} hint={hint} error={error}>
      <input type="hidden" name="scopes" />
      <table className="scope-grid" aria-label={apiKeyMessages.grid}>
        <thead>
          <tr>
            <td />
            {SCOPE_ACTIONS.map((action) => (
              <th key={action} scope="col" data-a={action}>
                {apiKeyMessages.actions[action]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {SCOPE_RESOURCES.map(({ name, actions }) => (
            <tr key={name}>
              <th scope="row">{apiKeyMessages.resources[name]}</th>
              {SCOPE_ACTIONS.map((action) => {
                const scope = `${name}:${action}`
                return (
                  <td key={action} data-a={action}>
                    {actions.includes(action) && isScope(scope) && (
                      <label className="hit">
                        <input
                          type="checkbox"
                          aria-label={apiKeyMessages.cell(
                            apiKeyMessages.resources[name] ?? name,
                            apiKeyMessages.actions[action],
                          )}
                          checked={chosen.includes(scope)}
                          onChange={() => onChange(toggleScope(chosen, scope))}
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
    </FieldGroup>
  )
}
