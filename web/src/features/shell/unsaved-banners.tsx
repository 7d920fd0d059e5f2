import {
  discardMutation,
  mutationQueue,
  retryMutation,
} from '../../data/mutations/mutation-queue.ts'
import { formatDayTime } from '../../lib/dates/instant.ts'
import { ApiResponseError } from '../../lib/http/problem.ts'
import { useAtom } from '../../lib/state/atom.ts'
import { unstoredDraft } from '../../lib/state/drafts.ts'
import { shellMessages } from '../../messages/app/shell.ts'
import { CopyButton } from '../../ui/form/copy-button.tsx'

/** More banners would cover too much of the screen. */
const MAX_UNSAVED_BANNERS = 3

/** The mutations that wait for the person, and whether this browser can store unsent ones and drafts. */
export function UnsavedBanners() {
  const mutations = useAtom(mutationQueue)
  const hasUnstoredDraft = useAtom(unstoredDraft) !== undefined
  const unsaved = mutations.filter(({ state }) => state === 'unsaved')
  return (
    <>
      {(hasUnstoredDraft || mutations.some(({ storage }) => storage === 'failed')) && (
        <p className="bar trouble">{shellMessages.notStored}</p>
      )}
      {unsaved.length > MAX_UNSAVED_BANNERS && (
        <p className="bar trouble">
          <b>{shellMessages.manyUnsaved(unsaved.length)}</b>
          <button
            type="button"
            className="btn"
            onClick={() => {
              for (const { key } of unsaved) retryMutation(key)
            }}
          >
            {shellMessages.retryAll}
          </button>
        </p>
      )}
      {unsaved.slice(0, MAX_UNSAVED_BANNERS).map(({ key, label, error, madeAt, refusal }) => (
        <p key={key} className="bar trouble">
          <b>{shellMessages.unsaved}</b> {label}
          <span>{refusal?.reason ?? formatDayTime(new Date(madeAt).toISOString())}</span>
          {error instanceof ApiResponseError && <code>{error.request_id}</code>}
          <button type="button" className="btn" onClick={() => retryMutation(key)}>
            {shellMessages.retry}
          </button>
          {refusal?.text && <CopyButton text={refusal.text}>{shellMessages.copyText}</CopyButton>}
          <button type="button" className="btn" onClick={() => discardMutation(key)}>
            {shellMessages.discard}
          </button>
        </p>
      ))}
    </>
  )
}
