import { queryOptions, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { NotificationSettings } from '#resources/notifications/internal.ts'
import type { deletePushDevice, listPushDevices } from '#resources/push-devices/internal.ts'
import { queryClient } from '../../../data/cache/query-client.ts'
import { readPushSupport, turnOnPush } from '../../../data/session/push-device.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'
import { pushMessages } from '../../../messages/settings/push.ts'
import { inboxMessages } from '../../../messages/tasks/inbox.ts'
import { ErrorMessage, showErrorToast } from '../../../ui/feedback/error-message.tsx'
import { Button } from '../../../ui/form/button.tsx'
import { CheckField, FormField, FormLine } from '../../../ui/form/form-field.tsx'
import { describeDevice } from './devices.tsx'
import {
  notificationSettingsQuery,
  saveNotificationSettings,
} from './notification-settings-section.tsx'

const pushDevicesQuery = queryOptions({
  queryKey: ['push-devices'],
  queryFn: ({ signal }) =>
    requestEndpoint<typeof listPushDevices>('GET /internal/push', {}, { signal }),
})

/** What devices show, and when they do not. */
export function PushSettings() {
  const { data } = useQuery(notificationSettingsQuery)
  return (
    <div className="sheet-form set-form">
      <PushDevices />
      {data && (
        <QuietHours
          quiet={data.quiet_hours}
          onChange={(quiet_hours) => void saveNotificationSettings({ quiet_hours })}
        />
      )}
    </div>
  )
}

/** Whether this device shows notifications, and which others of the person do. */
function PushDevices() {
  const [support, setSupport] = useState(readPushSupport)
  const [isBusy, setBusy] = useState(false)
  const { data, error, refetch } = useQuery(pushDevicesQuery)
  if (error) return <ErrorMessage error={error} onRetry={() => void refetch()} />
  const current = data?.devices.find((device) => device.current)
  const others = data?.devices.filter((device) => !device.current) ?? []
  const change = async (work: () => Promise<unknown>) => {
    setBusy(true)
    await work().catch(showErrorToast)
    setSupport(readPushSupport())
    // The section of other access lists devices, too.
    await queryClient.invalidateQueries()
    setBusy(false)
  }
  const turnOff = (id: string) =>
    change(() =>
      requestEndpoint<typeof deletePushDevice>('DELETE /internal/push/:id', { params: { id } }),
    )
  return (
    <>
      <FormLine>
        <CheckField
          name="push"
          hint={pushMessages[support]}
          checked={current !== undefined}
          disabled={!data || isBusy || (support !== 'available' && !current)}
          onChange={() =>
            void (current ? turnOff(current.id) : change(() => turnOnPush(data?.public_key ?? '')))
          }
        >
          {pushMessages.show}
        </CheckField>
      </FormLine>
      {others.map(({ id, user_agent }) => (
        <FormLine key={id}>
          <Button disabled={isBusy} onClick={() => void turnOff(id)}>
            {pushMessages.offOn(describeDevice(user_agent))}
          </Button>
        </FormLine>
      ))}
    </>
  )
}

type Quiet = NotificationSettings['quiet_hours']

const HOURS = Array.from({ length: 24 }, (_, hour) => hour)
/** What most people choose; the end follows from it until it is chosen. */
const DEFAULT_END = 7

/** The hours in which nothing is shown. */
function QuietHours({ quiet, onChange }: { quiet: Quiet; onChange: (next: Quiet) => void }) {
  const chooseStart = (value: string) => {
    const from = Number(value)
    const to = quiet?.to ?? DEFAULT_END
    onChange(value === '' ? null : { from, to: to === from ? (from + 1) % 24 : to })
  }
  return (
    <FormField label={pushMessages.quiet} name="quiet" hint={inboxMessages.hourHint}>
      {(aria) => (
        <div className="acts">
          <select
            {...aria}
            className="field"
            value={quiet ? String(quiet.from) : ''}
            onChange={({ target }) => chooseStart(target.value)}
          >
            <option value="">{pushMessages.noQuiet}</option>
            {HOURS.map((hour) => (
              <option key={hour} value={hour}>
                {`${hour}:00`}
              </option>
            ))}
          </select>
          {quiet && (
            <select
              className="field"
              aria-label={pushMessages.quietTo}
              value={String(quiet.to)}
              onChange={({ target }) => onChange({ ...quiet, to: Number(target.value) })}
            >
              {HOURS.filter((hour) => hour !== quiet.from).map((hour) => (
                <option key={hour} value={hour}>
                  {`${hour}:00`}
                </option>
              ))}
            </select>
          )}
        </div>
      )}
    </FormField>
  )
}
