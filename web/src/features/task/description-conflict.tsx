import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useId, useMemo, useState } from 'react'
import { useConflict } from '../../data/task-store.ts'
import { keepMine, takeTheirs } from '../../data/task-writes.ts'
import { timeOf } from '../../lib/instant.ts'
import { merge, textOf } from '../../lib/merge.ts'
import { m } from '../../messages/task.ts'
import { Button } from '../../ui/button.tsx'
import { useOpenTask } from './open-task.ts'
import { whoChanged } from './who-changed.ts'

/**
 * Two people changed the description at once: who and when, both texts, and both merged by lines to be edited. Nothing
 * is dropped until one of the three is chosen.
 */
export function DescriptionConflict() {
  const { task } = useOpenTask()
  const conflict = useConflict(task.id)
  const { data: who } = useQuery({
    queryKey: ['activity', task.id, 'who', 'description', conflict?.theirs.version],
    queryFn: async () => (await whoChanged(task.id, 'description')) ?? null,
  })
  if (!conflict) return null
  const { change, theirs } = conflict
  const at = timeOf(who?.at ?? theirs.updated_at)
  const texts = {
    base: change.from.description ?? '',
    mine: change.patch.description ?? '',
    theirs: theirs.description ?? '',
  }
  return (
    <div className="strip wide" role="alert">
      <span>{m.theyChangedAt(who?.name ?? m.somebody, m.description, at)}</span>
      <Merge
        key={`${change.key} ${theirs.version}`}
        {...texts}
        onMine={() => keepMine(task.id, change, theirs)}
        onTheirs={() => takeTheirs(task.id, change)}
        onMerged={(description) =>
          keepMine(task.id, change, theirs, { ...change.patch, description })
        }
      />
    </div>
  )
}

interface MergeProps {
  base: string
  mine: string
  theirs: string
  onMine: () => void
  onTheirs: () => void
  onMerged: (text: string) => void
}

function Merge({ base, mine, theirs, onMine, onTheirs, onMerged }: MergeProps) {
  const pieces = useMemo(() => merge(base, mine, theirs), [base, mine, theirs])
  const [text, setText] = useState(() => textOf(pieces))
  const id = useId()
  const clashes = pieces.filter(({ kind }) => kind === 'clash').length
  return (
    <div className="merge">
      <Side title={m.mine} base={base} text={mine}>
        <Button onClick={onMine}>{m.keepMine}</Button>
      </Side>
      <Side title={m.theirs} base={base} text={theirs}>
        <Button onClick={onTheirs}>{m.takeTheirs}</Button>
      </Side>
      <div className="merged">
        <label htmlFor={id}>
          <b>{m.merged}</b> <span className="quiet">{m.mergedHint(clashes)}</span>
        </label>
        <textarea
          id={id}
          className="field mono"
          rows={Math.min(16, text.split('\n').length + 2)}
          value={text}
          onChange={({ target }) => setText(target.value)}
          onKeyDown={(event) => event.key === 'Escape' && event.stopPropagation()}
        />
        <div className="acts">
          <Button kind="primary" onClick={() => onMerged(text)}>
            {m.saveMerged}
          </Button>
        </div>
      </div>
    </div>
  )
}

interface SideProps {
  title: string
  base: string
  text: string
  children: ReactNode
}

/** One of the two texts, with the lines marked that were not there before. */
function Side({ title, base, text, children }: SideProps) {
  const before = new Set(base.split('\n'))
  return (
    <div className="merge-side">
      <b>{title}</b>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
      <pre tabIndex={0}>
        {text.split('\n').map((line, at) => {
          const own = !before.has(line)
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines of a text that does not change
            <span key={at} className={own ? 'own' : undefined}>
              {own && <span className="sr">{m.changedLine}</span>}
              {`${line}\n`}
            </span>
          )
        })}
      </pre>
      <div className="acts">{children}</div>
    </div>
  )
}
