// Guarantees: notices queued before their renderer is loaded are shown afterwards, once and in order.
import { beforeEach, expect, it } from 'vitest'
import { notify, notifyProblem, onFirstNotice, type ScreenNotice, showNotices, showNoticesBy } from './notify.ts'

const shown: ScreenNotice[] = []
const words = () => shown.map((notice) => notice.words)

beforeEach(() => {
  shown.length = 0
})

it('queues notices until the renderer is loaded, and requests the renderer', () => {
  notify('early')
  let requests = 0
  const forget = onFirstNotice(() => {
    requests += 1
  })
  notify('later')
  expect([requests, words()]).toEqual([2, []])
  const stop = showNoticesBy((notice) => shown.push(notice))
  expect(words()).toEqual(['early', 'later'])
  notify('now')
  expect([requests, words()]).toEqual([2, ['early', 'later', 'now']])
  stop()
  forget()
})

it('shows the reason of an error, and gives a warning an id so that it is shown once', () => {
  const stop = showNoticesBy((notice) => shown.push(notice))
  notifyProblem(new Error('the stone is cracked'))
  showNotices([
    { level: 'warning', code: 'no_engine', message: 'Nothing runs' },
    { level: 'info', code: 'unknown_filter', message: 'for programs' },
  ])
  expect(shown).toMatchObject([
    { kind: 'error', words: 'Something went wrong', description: 'the stone is cracked' },
    { kind: 'warning', words: 'Nothing runs', id: 'no_engine Nothing runs' },
  ])
  stop()
})
