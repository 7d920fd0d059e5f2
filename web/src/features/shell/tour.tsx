import { useRouter } from '@tanstack/react-router'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { type Boot, useBoot } from '../../data/boot.ts'
import { toast } from '../../data/toasts.ts'
import { checklist } from '../../messages/first-project.ts'
import { m } from '../../messages/tour.ts'
import { Button } from '../../ui/button.tsx'
import { keysText } from '../../ui/keys.ts'
import { messageOf } from '../../ui/trouble.tsx'
import { firstProject } from '../accounts/first-project.ts'
import { tour } from './tour-open.ts'

const { number, find, write, undo, begin } = m.steps
const STEPS: { title: string; text: string }[] = [
  number,
  { title: find.title, text: find.text(keysText('mod+k')) },
  write,
  { title: undo.title, text: undo.text(keysText('mod+z')) },
  begin,
]

const end = () => tour.set(undefined)

/** Some sentences in a corner, beside which everything can be used; Escape in it ends it. */
export function Tour({ asked }: { asked: boolean }) {
  const boot = useBoot()
  const { history } = useRouter()
  const [at, setAt] = useState(0)
  const next = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    // Who has not asked for it is not taken away from where they are.
    if (asked) next.current?.focus()
  }, [asked])
  const step = STEPS[at] ?? begin
  const isLast = at === STEPS.length - 1
  const leads = isLast && hasChecklist(boot)
  const goOn = async () => {
    if (!isLast) return setAt(at + 1)
    if (!leads) return end()
    try {
      history.push(await firstProject())
      end()
    } catch (error) {
      toast({ text: messageOf(error), tone: 'trouble' })
    }
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') end()
  }
  return (
    <section className="tour float" aria-label={m.name} onKeyDown={onKeyDown}>
      <div aria-live="polite">
        <span className="quiet">{m.place(at + 1, STEPS.length)}</span>
        <h2>{step.title}</h2>
        <p>{step.text}</p>
      </div>
      <div className="acts">
        <Button kind="primary" ref={next} onClick={() => void goOn()}>
          {leads ? m.toChecklist : isLast ? m.done : m.next}
        </Button>
        {(!isLast || leads) && (
          <Button kind="plain" onClick={end}>
            {isLast ? m.done : m.skip}
          </Button>
        )}
      </div>
    </section>
  )
}

/** Whether there is a list of first steps, or an empty workspace in which this person may make it. */
const hasChecklist = ({ projects, session }: Boot): boolean =>
  projects.some(({ name }) => name === checklist.name) ||
  (projects.length === 0 && session.user.role !== 'guest')
