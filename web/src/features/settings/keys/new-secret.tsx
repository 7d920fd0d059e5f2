import { dayOf, formatDay } from '../../../lib/day.ts'
import { timeOf } from '../../../lib/instant.ts'
import { m } from '../../../messages/api-keys.ts'
import { OnceShown } from '../once-shown.tsx'
import { scopesText } from './key-row.tsx'
import type { MadeKey } from './keys-query.ts'

/** A key that was just made, on its tear-off. */
export function NewSecret({ made, onDone }: { made: MadeKey; onDone: () => void }) {
  const { api_key, hint, name, scopes, expires_at, created_at } = made
  const expires = expires_at === null ? m.never : formatDay(dayOf(expires_at))
  return (
    <OnceShown
      title={m.ready(name)}
      secret={api_key}
      copyLabel={m.copy}
      stub={
        <>
          <b>{hint}</b>
          <span>{timeOf(created_at)}</span>
          <span className="quiet">{m.stays}</span>
        </>
      }
      example={{ text: curlOf(api_key, scopes), label: m.copyCurl }}
      loss={{ title: m.uncopiedTitle, text: m.uncopiedWhy, action: m.leave }}
      onDone={onDone}
    >
      <p className="quiet">{m.kept(scopesText(scopes), expires)}</p>
    </OnceShown>
  )
}

/** A command that works with the key as it is: what it may read, else who it is. */
const curlOf = (api_key: string, scopes: readonly string[]): string => {
  const path = scopes.includes('tasks:read') ? 'tasks?status_category=started' : 'me'
  return [
    `curl "${location.origin}/api/v1/${path}" \\`,
    `  -H "Authorization: Bearer ${api_key}"`,
  ].join('\n')
}
