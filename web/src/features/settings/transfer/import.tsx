import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Import as Imported } from '#resources/imports/internal.ts'
import { upload } from '../../../lib/upload.ts'
import { m } from '../../../messages/transfer.ts'
import { Button } from '../../../ui/button.tsx'
import { FormLine } from '../../../ui/field.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { Trouble } from '../../../ui/trouble.tsx'
import { Band } from '../head.tsx'
import { tell } from '../tell.ts'
import { Choices } from './choices.tsx'
import { Faults } from './faults.tsx'
import { act, importsQuery, keep } from './queries.ts'

/** Brings a file of another tool in: chosen, looked at, run, and taken back. */
export function Import() {
  const { data, error, refetch } = useQuery(importsQuery)
  const latest = data?.[0]
  return (
    <section aria-label={m.import}>
      <Band title={m.import} />
      {error && <Trouble error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton lines={2} />}
      {data && (!latest || !HOLDS.has(latest.status)) && <Choose />}
      {latest && <Latest one={latest} />}
    </section>
  )
}

/** While one of these is there no other file can be chosen. */
const HOLDS = new Set<Imported['status']>(['reading', 'running', 'paused', 'undoing'])

function Choose() {
  const [part, setPart] = useState<number>()
  const send = async (file: File | undefined) => {
    if (!file) return
    setPart(0)
    try {
      const url = `/internal/imports?filename=${encodeURIComponent(file.name)}`
      const { signal } = new AbortController()
      const idempotencyKey = crypto.randomUUID()
      keep(
        (await upload<Imported>(url, file, { onProgress: setPart, signal, idempotencyKey })).body,
      )
    } catch (error) {
      tell(error)
    }
    setPart(undefined)
  }
  return (
    <div className="sheet-form set-form">
      <FormLine>
        <p>{m.importWhy}</p>
        <p className="set-note">
          <label>
            <span className="sr">{m.choose}</span>
            <input
              type="file"
              className="field"
              disabled={part !== undefined}
              onChange={({ target }) => void send(target.files?.[0])}
            />
            {part !== undefined && <output>{m.sending(percent(part))}</output>}
          </label>
        </p>
      </FormLine>
    </div>
  )
}

const percent = (part: number) => `${Math.round(part * 100)} %`

function Latest({ one }: { one: Imported }) {
  const { id, status } = one
  return (
    <section aria-label={one.filename}>
      <div className="sheet-form set-form">
        <FormLine gutter={m.file}>
          <p>
            <b>{one.filename}</b>
          </p>
          <p role="status">{toldOf(one)}</p>
          {(status === 'running' || status === 'paused') && (
            <progress aria-label={one.filename} value={one.done_count} max={one.row_count} />
          )}
          <div className="acts set-note">
            {status === 'ready' && (
              <Button
                kind="primary"
                reason={one.failed_count === one.row_count ? m.nothing : undefined}
                onClick={() => void act(id, 'start')}
              >
                {m.start(one.row_count - one.failed_count)}
              </Button>
            )}
            {status === 'running' && (
              <Button onClick={() => void act(id, 'pause')}>{m.pause}</Button>
            )}
            {status === 'paused' && (
              <Button kind="primary" onClick={() => void act(id, 'start')}>
                {m.resume}
              </Button>
            )}
            {CANCELS.has(status) && (
              <Button kind="plain" onClick={() => void act(id, 'cancel')}>
                {m.cancel}
              </Button>
            )}
            {one.made_count > 0 &&
              (status === 'done' || status === 'canceled' || status === 'failed') && (
                <Button onClick={() => void act(id, 'undo')}>{m.undo}</Button>
              )}
          </div>
        </FormLine>
      </div>
      {(status === 'ready' || status === 'failed') && <Choices one={one} key={one.updated_at} />}
      {one.failed_count > 0 && status !== 'reading' && <Faults one={one} />}
    </section>
  )
}

const CANCELS = new Set<Imported['status']>(['reading', 'ready', 'running', 'paused'])

/** How it stands, as a sentence. */
function toldOf({ status, error, row_count: rows, done_count: done, ...one }: Imported): string {
  switch (status) {
    case 'reading':
      return m.reading(rows)
    case 'ready':
      return m.found(rows - one.failed_count, one.failed_count)
    case 'running':
      return m.running(done, rows)
    case 'paused':
      return m.paused(done, rows)
    case 'undoing':
      return m.undoing(one.made_count)
    case 'done':
      return m.done(one.made_count, one.failed_count)
    case 'canceled':
      return m.canceled(one.made_count)
    case 'undone':
      return error ?? m.undone
    case 'failed':
      return error ?? m.failed
  }
}
