import { queryOptions, useQuery } from '@tanstack/react-query'
import { Suspense } from 'react'
import type {
  getNotificationSettings,
  NotificationSettings,
  updateNotificationSettings,
} from '#resources/notifications/internal.ts'
import { queryClient } from '../../../data/cache/query-client.ts'
import { recordOwnOperation } from '../../../data/live/own-operations.ts'
import { useBoot } from '../../../data/session/boot.ts'
import {
  type CallInput,
  requestEndpoint,
  requestEndpointForResult,
} from '../../../lib/http/request-endpoint.ts'
import { inboxMessages } from '../../../messages/tasks/inbox.ts'
import { ErrorMessage, showErrorToast } from '../../../ui/feedback/error-message.tsx'
import { SelectField } from '../../../ui/form/form-field.tsx'
import { DataTable, TableCell, TableRow } from '../../../ui/layout/data-table.tsx'
import { Skeleton } from '../../../ui/layout/skeleton.tsx'
import { createLazySection } from '../lazy-section.tsx'
import { SectionHeader } from '../settings-header.tsx'

type NotificationSettingsKind = keyof NotificationSettings['kinds']
type NotificationSettingsPatch = CallInput<typeof updateNotificationSettings>['body']

const KINDS = Object.keys(inboxMessages.settingsKinds) as NotificationSettingsKind[]
const MAIL_FREQUENCIES = ['soon', 'daily', 'never'] as const
const HOURS = Array.from({ length: 24 }, (_, hour) => hour)
const COLUMNS = [
  { label: inboxMessages.settings, hidden: true },
  { label: inboxMessages.about },
  { label: inboxMessages.inbox },
  { label: inboxMessages.mail },
]

const PushSettings = createLazySection('PushSettings')

export const notificationSettingsQuery = queryOptions({
  queryKey: ['notification-settings'],
  queryFn: ({ signal }) =>
    requestEndpoint<typeof getNotificationSettings>(
      'GET /internal/notification-settings',
      {},
      { signal },
    ),
})

/** The kinds of notifications, and how the person gets them. Each choice is saved at once. */
export function NotificationSettingsSection() {
  const { data, error, refetch } = useQuery(notificationSettingsQuery)
  const { settings } = useBoot('settings')
  return (
    <section aria-label={inboxMessages.settings}>
      <SectionHeader title={inboxMessages.settings} />
      <div className="line set-note">
        <span className="gut" />
        <p className="quiet">
          {inboxMessages.settingsWhy} {!settings.mail && inboxMessages.noMail}
        </p>
      </div>
      {error && <ErrorMessage error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton rows={5} />}
      {data && <NotificationMatrix settings={data} />}
      <Suspense>
        <PushSettings />
      </Suspense>
    </section>
  )
}

function NotificationMatrix({ settings }: { settings: NotificationSettings }) {
  const { kinds, digest_hour } = settings
  const { mail } = useBoot('settings').settings
  const mailDisabled = mail ? {} : { disabled: true, title: inboxMessages.noMail }
  return (
    <>
      <DataTable label={inboxMessages.settings} className="ways" columns={COLUMNS}>
        {KINDS.map((kind) => (
          <TableRow key={kind}>
            <TableCell className="gut" />
            <TableCell>{inboxMessages.settingsKinds[kind]}</TableCell>
            <TableCell>
              <input
                type="checkbox"
                aria-label={`${inboxMessages.settingsKinds[kind]}: ${inboxMessages.inbox}`}
                checked={kinds[kind].inbox}
                onChange={({ target }) =>
                  void saveNotificationSettings({ kinds: { [kind]: { inbox: target.checked } } })
                }
              />
            </TableCell>
            <TableCell>
              <select
                className="field"
                aria-label={`${inboxMessages.settingsKinds[kind]}: ${inboxMessages.mail}`}
                value={kinds[kind].mail}
                {...mailDisabled}
                onChange={({ target }) => {
                  const chosen = MAIL_FREQUENCIES.find((frequency) => frequency === target.value)
                  if (chosen) void saveNotificationSettings({ kinds: { [kind]: { mail: chosen } } })
                }}
              >
                {MAIL_FREQUENCIES.map((frequency) => (
                  <option key={frequency} value={frequency}>
                    {inboxMessages.mails[frequency]}
                  </option>
                ))}
              </select>
            </TableCell>
          </TableRow>
        ))}
      </DataTable>
      {mail && (
        <div className="sheet-form set-form">
          <SelectField
            label={inboxMessages.hour}
            name="digest"
            hint={inboxMessages.hourHint}
            value={String(digest_hour)}
            options={HOURS.map((hour) => ({ value: String(hour), label: `${hour}:00` }))}
            onChange={({ target }) =>
              void saveNotificationSettings({ digest_hour: Number(target.value) })
            }
          />
        </div>
      )}
    </>
  )
}

/** Saves a change of the settings at once. */
export async function saveNotificationSettings(body: NotificationSettingsPatch): Promise<void> {
  try {
    const reply = await requestEndpointForResult<typeof updateNotificationSettings>(
      'PATCH /internal/notification-settings',
      {
        body,
      },
    )
    recordOwnOperation(reply.operation_id)
    queryClient.setQueryData(notificationSettingsQuery.queryKey, reply.body)
  } catch (error) {
    showErrorToast(error)
  }
}
