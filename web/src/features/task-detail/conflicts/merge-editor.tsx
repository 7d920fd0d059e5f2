import {
  type KeyboardEvent,
  type ReactNode,
  Suspense,
  use,
  useEffect,
  useId,
  useMemo,
  useState,
} from 'react'
import { useBoot, useMemberNames } from '../../../data/session/boot.ts'
import { loadMerging } from '../../../data/tasks/merge-versions.ts'
import { mentionIdsToNames, readMentions } from '../../../lib/markdown/mentions.ts'
import { mentionNamesToIds } from '../../../lib/markdown/typed-mentions.ts'
import { deleteDraft, readDraft, saveDraft } from '../../../lib/state/drafts.ts'
import { taskDetailMessages } from '../../../messages/tasks/task-detail.ts'
import { Button } from '../../../ui/form/button.tsx'
import { Skeleton } from '../../../ui/layout/skeleton.tsx'
import { useDraft } from '../../../ui/markdown/use-draft.ts'

interface MergeEditorProps {
  base: string
  mine: string
  theirs: string
  /** Where a merge by hand is kept until one of the three is chosen. */
  draftKey: string
  onMine: () => void
  onTheirs: () => void
  onMerged: (text: string) => void
}

/**
 * Two texts and an editable merge of them by lines. Nothing is discarded until one of the three is
 * chosen.
 */
export function MergeEditor({ base, mine, theirs, onMerged, ...props }: MergeEditorProps) {
  const { members } = useBoot('members')
  return (
    <Suspense fallback={<Skeleton lines={6} />}>
      <LoadedMergeEditor
        {...props}
        base={mentionIdsToNames(base, members)}
        mine={mentionIdsToNames(mine, members)}
        theirs={mentionIdsToNames(theirs, members)}
        onMerged={(text) => onMerged(mentionNamesToIds(text, members))}
      />
    </Suspense>
  )
}

function LoadedMergeEditor(props: MergeEditorProps) {
  const { base, mine, theirs, draftKey, onMine, onTheirs, onMerged } = props
  const { joinPieces, mergeText } = use(loadMerging())
  const pieces = useMemo(() => mergeText(base, mine, theirs), [base, mine, theirs, mergeText])
  // The text that the merge by hand was made with.
  const theirsKey = `${draftKey}.theirs`
  const [mergedAgain] = useState(() => {
    const byHand = readDraft(draftKey)
    const merged = readDraft(theirsKey) ?? base
    if (byHand === undefined || merged === theirs) return undefined
    // What they have changed since would be overwritten.
    return joinPieces(mergeText(merged, byHand, theirs))
  })
  useEffect(() => {
    if (mergedAgain !== undefined && saveDraft(draftKey, mergedAgain)) saveDraft(theirsKey, theirs)
  }, [mergedAgain, draftKey, theirsKey, theirs])
  const draft = useDraft(draftKey, joinPieces(pieces), mergedAgain)
  const { text } = draft
  const id = useId()
  const conflictCount = pieces.filter(({ kind }) => kind === 'clash').length
  const choose = (run: () => void) => () => {
    draft.drop()
    deleteDraft(theirsKey)
    run()
  }
  const saveMerged = choose(() => onMerged(text))
  /** For the button as well as for the text: elsewhere the keys complete the task. */
  const handleSubmitKeys = (event: KeyboardEvent) => {
    const mod = event.ctrlKey || event.metaKey
    if (!mod || event.key !== 'Enter') return
    event.preventDefault()
    event.stopPropagation()
    saveMerged()
  }
  return (
    <div className="merge">
      <MergeSide title={taskDetailMessages.mine} base={base} text={mine}>
        <Button onClick={choose(onMine)}>{taskDetailMessages.keepMine}</Button>
      </MergeSide>
      <MergeSide title={taskDetailMessages.theirs} base={base} text={theirs}>
        <Button onClick={choose(onTheirs)}>{taskDetailMessages.takeTheirs}</Button>
      </MergeSide>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: only adds a shortcut to its field and button */}
      <div className="merged" onKeyDown={handleSubmitKeys}>
        <label htmlFor={id}>
          <b>{taskDetailMessages.merged}</b>{' '}
          <span className="quiet">{taskDetailMessages.mergedHint(conflictCount)}</span>
        </label>
        <textarea
          id={id}
          className="field mono"
          rows={Math.min(16, text.split('\n').length + 2)}
          value={text}
          onChange={({ target }) => {
            // An older merge by hand stays with the text that it was made with.
            if (saveDraft(draftKey, target.value)) saveDraft(theirsKey, theirs)
            draft.setText(target.value)
          }}
          onKeyDown={(event) => event.key === 'Escape' && event.stopPropagation()}
        />
        <div className="acts">
          <Button kind="primary" keys="mod+enter" onClick={saveMerged}>
            {taskDetailMessages.saveMerged}
          </Button>
        </div>
      </div>
    </div>
  )
}

interface MergeSideProps {
  title: string
  base: string
  text: string
  children: ReactNode
}

/** One of the two texts with its new lines highlighted. */
function MergeSide({ title, base, text, children }: MergeSideProps) {
  const nameOf = useMemberNames()
  const baseLines = new Set(base.split('\n'))
  return (
    <div className="merge-side">
      <b>{title}</b>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be keyboard accessible */}
      <pre tabIndex={0}>
        {text.split('\n').map((line, changedAt) => {
          const isNew = !baseLines.has(line)
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: the lines never change
            <span key={changedAt} className={isNew ? 'own' : undefined}>
              {isNew && <span className="sr">{taskDetailMessages.changedLine}</span>}
              {`${readMentions(line, nameOf)}\n`}
            </span>
          )
        })}
      </pre>
      <div className="acts">{children}</div>
    </div>
  )
}
