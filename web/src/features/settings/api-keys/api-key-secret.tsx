import { formatTime } from '../../../lib/dates/instant.ts'
import { formatDay, toPlainDate } from '../../../lib/dates/plain-date.ts'
import { apiKeyMessages } from '../../../messages/settings/api-keys.ts'
import { OneTimeSecret } from '../one-time-secret.tsx'
import { formatScopes } from './api-key-table-row.tsx'
import type { ApiKeyWithSecret } from './api-keys-query.ts'

interface ApiKeySecretProps {
  apiKey: ApiKeyWithSecret
  onDone: () => void
}

/** Shows a new API key, with an example request that uses it. */
export function ApiKeySecret({ apiKey, onDone }: ApiKeySecretProps) {
  const { api_key, hint, name, scopes, expires_at, created_at } = apiKey
  const expires = expires_at === null ? apiKeyMessages.never : formatDay(toPlainDate(expires_at))
  return (
    <OneTimeSecret
      title={apiKeyMessages.ready(name)}
      secret={api_key}
      copyLabel={apiKeyMessages.copy}
      stub={
        <>
          <b>{hint}</b>
          <span>{formatTime(created_at)}</span>
          <span className="quiet">{apiKeyMessages.stays}</span>
        </>
      }
      example={{ text: formatExampleCommand(api_key, scopes), label: apiKeyMessages.copyCurl }}
      loss={{
        title: apiKeyMessages.uncopiedTitle,
        text: apiKeyMessages.uncopiedWhy,
        action: apiKeyMessages.leave,
      }}
      onDone={onDone}
    >
      <p className="quiet">{apiKeyMessages.kept(formatScopes(scopes), expires)}</p>
    </OneTimeSecret>
  )
}

/** A command that works with the key's scopes: it lists tasks, or else shows the key's identity. */
const formatExampleCommand = (api_key: string, scopes: readonly string[]): string => {
  const path = scopes.includes('tasks:read') ? 'tasks?status_category=started' : 'me'
  return [
    `curl "${location.origin}/api/v1/${path}" \\`,
    `  -H "Authorization: Bearer ${api_key}"`,
  ].join('\n')
}
