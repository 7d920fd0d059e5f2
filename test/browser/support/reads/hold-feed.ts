/**
 * An init script: until the event `release-feed` the page hears nothing of the feed of changes.
 * `data-held-tasks` at its root tells how many records of tasks have come meanwhile.
 */
export function holdFeed(): void {
  const held: { source: EventSource; event: MessageEvent }[] = []
  let isHolding = true
  document.addEventListener('release-feed', () => {
    isHolding = false
    // An event whose propagation was stopped would reach no listener.
    for (const { source, event } of held) {
      const { type, data, lastEventId } = event
      source.dispatchEvent(new MessageEvent(type, { data, lastEventId }))
    }
  })
  globalThis.EventSource = class extends EventSource {
    constructor(url: string | URL) {
      super(url)
      for (const type of ['change', 'caught_up'])
        this.addEventListener(type, (event) => {
          if (!isHolding) return
          event.stopImmediatePropagation()
          held.push({ source: this, event })
          const tasks = held.filter(({ event }) => String(event.data).includes('"type":"task"'))
          document.documentElement.dataset.heldTasks = String(tasks.length)
        })
    }
  }
}
