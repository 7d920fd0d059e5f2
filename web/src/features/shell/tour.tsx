import './tour.css'
import { useRouter } from '@tanstack/react-router'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { type Boot, useBoot } from '../../data/session/boot.ts'
import { hasRight } from '../../data/session/rights.ts'
import { isTouch } from '../../lib/browser/is-touch.ts'
import { firstProjectChecklist } from '../../messages/accounts/first-project.ts'
import { tourMessages } from '../../messages/app/tour.ts'
import { showErrorToast } from '../../ui/feedback/error-message.tsx'
import { Button } from '../../ui/form/button.tsx'
import { formatShortcut } from '../../ui/keyboard/use-shortcuts.ts'
import { ensureFirstProject } from '../accounts/index.ts'
import { tourState } from './tour-state.ts'

const { number, find, write, undo, begin } = tourMessages.steps
const { touchSteps } = tourMessages
const STEPS: { title: string; text: string }[] = isTouch()
  ? [number, touchSteps.find, touchSteps.write, touchSteps.undo, touchSteps.begin]
  : [
      number,
      { title: find.title, text: find.text(formatShortcut('mod+k')) },
      write,
      { title: undo.title, text: undo.text(formatShortcut('mod+z')) },
      begin,
    ]

const closeTour = () => tourState.set(undefined)

/** Short tips in a corner. The screen stays usable, and Escape closes the tour. */
export function Tour({ isRequested }: { isRequested: boolean }) {
  const boot = useBoot('projects', 'session')
  const { history } = useRouter()
  const [index, setIndex] = useState(0)
  const next = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    // Only a requested tour takes the focus; an offered one must not interrupt the user.
    if (isRequested) next.current?.focus()
  }, [isRequested])
  const step = STEPS[index] ?? begin
  const isLast = index === STEPS.length - 1
  const leadsToChecklist = isLast && hasChecklist(boot)
  const goNext = async () => {
    if (!isLast) return setIndex(index + 1)
    if (!leadsToChecklist) return closeTour()
    try {
      history.push(await ensureFirstProject())
      closeTour()
    } catch (error) {
      showErrorToast(error)
    }
  }
  const handleKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') closeTour()
  }
  return (
    <section className="tour float" aria-label={tourMessages.name} onKeyDown={handleKeyDown}>
      <div aria-live="polite">
        <span className="quiet">{tourMessages.place(index + 1, STEPS.length)}</span>
        <h2>{step.title}</h2>
        <p>{step.text}</p>
      </div>
      <div className="acts">
        <Button kind="primary" ref={next} onClick={() => void goNext()}>
          {leadsToChecklist
            ? tourMessages.toChecklist
            : isLast
              ? tourMessages.done
              : tourMessages.next}
        </Button>
        {(!isLast || leadsToChecklist) && (
          <Button kind="plain" onClick={closeTour}>
            {isLast ? tourMessages.done : tourMessages.skip}
          </Button>
        )}
      </div>
    </section>
  )
}

/** Whether the project with the first steps exists, or the user may create it. */
const hasChecklist = ({ projects, session }: Pick<Boot, 'projects' | 'session'>): boolean =>
  projects.some(({ name }) => name === firstProjectChecklist.name) ||
  (projects.length === 0 && hasRight(session.user, 'shape_projects'))
