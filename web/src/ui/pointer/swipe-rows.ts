import { projectViewMessages } from '../../messages/tasks/project-view.ts'
import { suppressClick } from './suppress-click.ts'

/**
 * Rows under a finger that moves sideways. A swipe presses a control of its row, which has the same at
 * hand for everybody: to the right the one that completes, to the left the one that puts off.
 */
const CONTROLS = {
  right: 'button.st, [data-swipe="right"]',
  left: '[data-field="due"], [data-swipe="left"]',
}

/** From here on a finger swipes and does not scroll any more. */
const START_PX = 12
/** Released from here on, it has pressed the control. */
const PRESS_PX = 88

function followFinger(event: PointerEvent): void {
  const row = event.target instanceof Element && event.target.closest<HTMLElement>('.list .row')
  if (!row || event.pointerType !== 'touch' || !event.isPrimary) return
  const ended = new AbortController()
  const { signal } = ended
  const hint = document.createElement('div')
  hint.className = 'swipe-hint'
  let control: HTMLElement | null = null
  let by = 0
  const move = ({ clientX, clientY }: PointerEvent) => {
    by = clientX - event.clientX
    const isSideways =
      Math.abs(by) > START_PX && Math.abs(by) > 2 * Math.abs(clientY - event.clientY)
    if (!hint.isConnected) {
      if (Math.abs(clientY - event.clientY) > START_PX) return end()
      if (!isSideways) return
      document.body.append(hint)
    }
    control = row.querySelector<HTMLElement>(CONTROLS[by > 0 ? 'right' : 'left'])
    const { top, height, left, width } = row.getBoundingClientRect()
    const offset = control ? by : 0
    row.style.translate = `${offset}px`
    hint.dataset.to = by > 0 ? 'right' : 'left'
    hint.toggleAttribute('data-pressed', control !== null && Math.abs(by) >= PRESS_PX)
    hint.textContent = describePress(control)
    const x = left - offset + (offset > 0 ? 0 : width + offset)
    hint.style.cssText = `inset-block-start:${top}px;left:${x}px;block-size:${height}px;inline-size:${Math.abs(offset)}px`
  }
  const end = () => {
    ended.abort()
    hint.remove()
    row.style.translate = ''
  }
  const press = () => {
    const pressed = hint.isConnected && Math.abs(by) >= PRESS_PX ? control : null
    if (hint.isConnected) suppressClick()
    end()
    // The click of the finger itself, if the browser makes one, comes before.
    if (pressed) setTimeout(() => pressed.click(), 0)
  }
  addEventListener('pointermove', move, { signal })
  addEventListener('pointerup', press, { signal })
  addEventListener('pointercancel', end, { signal })
}

/** What a swipe does. The name of a status button is too long for the hint. */
function describePress(control: HTMLElement | null): string {
  if (!control?.matches('.st'))
    return control?.getAttribute('aria-label') ?? projectViewMessages.properties.due
  const isFinished = control.matches('[data-s="done"], [data-s="canceled"]')
  return isFinished ? projectViewMessages.reopen : projectViewMessages.complete
}

addEventListener('pointerdown', followFinger)
