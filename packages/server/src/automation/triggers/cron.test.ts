// Guarantees: an invalid expression or zone is refused with an understandable detail. The documented daylight-saving
// rule holds at real clock changes. Ticks that were missed while the server was down fire once.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkExpression, checkZone, missedTick, nextAfter } from './cron.ts'

const iso = (date: Date | null) => date?.toISOString().replace(':00.000Z', 'Z') ?? null

const run = (expression: string, zone: string, from: string, count: number) => {
  const ticks: (string | null)[] = []
  let at: Date | null = new Date(from)
  while (at && ticks.length < count) {
    at = nextAfter(expression, zone, at)
    ticks.push(iso(at))
  }
  return ticks
}

describe('checkExpression', () => {
  it.each([
    '* * * * *',
    '  0   9 * * 1-5 ',
    '*/15 0,12 1-7 JAN-MAR,dec mon,FRI',
    '0 0 L * *',
    '0 0 LW * *',
    '0 0 15W,L * *',
    '0 0 * * 5#2',
    '0 0 * * fri#L',
    '0 0 * * 5L',
    '0 0 1 * +MON',
    '0 0 29 2 *',
    '0 0 29 2 +SUN',
    '0 0 * * 6-7',
    '@daily',
    '@HOURLY',
  ])('accepts %s', (expression) => {
    expect(checkExpression(expression)).toEqual({ ok: true })
  })

  it.each([
    [undefined, 'missing'],
    [null, 'missing'],
    [5, 'missing'],
    ['', 'missing'],
    ['   ', 'missing'],
    ['* * * *', 'this one has 4'],
    ['0 * * * * *', 'a seconds or year field is not supported'],
    ['0 0 12 * * * 2030', 'a seconds or year field is not supported'],
    ['1 2 3 4 5 6 7 8', 'this one has 8'],
    ['60 * * * *', 'minute field "60"'],
    ['-1 * * * *', 'minute field "-1"'],
    ['5* * * * *', 'minute field "5*"'],
    ['5/5 * * * *', 'minute field "5/5"'],
    ['*/0 * * * *', 'minute field "*/0"'],
    ['*/61 * * * *', 'minute field "*/61"'],
    ['1,,2 * * * *', 'minute field "1,,2"'],
    ['30-10 * * * *', 'minute field "30-10"'],
    ['12:30 * * * *', 'minute field "12:30"'],
    ['? * * * *', 'minute field "?"'],
    ['* 24 * * *', 'hour field "24"'],
    ['* 1-2-3 * * *', 'hour field "1-2-3"'],
    ['* * 0 * *', 'day-of-month field "0"'],
    ['* * 32 * *', 'day-of-month field "32"'],
    ['* * 1-5W * *', 'day-of-month field "1-5W"'],
    ['* * * 13 *', 'month field "13"'],
    ['* * * januar *', 'month field "januar"'],
    ['* * * * 8', 'day-of-week field "8"'],
    ['* * * * monday', 'day-of-week field "monday"'],
    ['* * * * 5#6', 'day-of-week field "5#6"'],
    ['* * * * 5#', 'day-of-week field "5#"'],
    ['* * * * +', 'day-of-week field "+"'],
    ['0 0 30 2 *', 'never matches a date'],
    ['0 0 31 4,6,9,11 *', 'never matches a date'],
    ['@reboot', '"@reboot" is not one of'],
    ['__proto__', 'this one has 1'],
    ['2030-01-01T00:00:00', 'this one has 1'],
    [`${'1,'.repeat(200)}2 * * * *`, 'longer than 200'],
  ])('refuses %j: %s', (expression, part) => {
    expect(checkExpression(expression)).toEqual({ ok: false, detail: expect.stringContaining(part) })
  })

  it('answers any text without throwing', () => {
    const part = fc.stringMatching(/^[0-9*,\-/#LW+@a-z?: ]{0,12}$/)
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(part, { maxLength: 7 }).map((parts) => parts.join(' ')),
        ),
        (text) => {
          const check = checkExpression(text)
          if (check.ok) expect(nextAfter(text, 'Europe/Berlin', new Date(0))).toBeInstanceOf(Date)
        },
      ),
      { numRuns: 2000 },
    )
  })
})

describe('checkZone', () => {
  it.each(['UTC', 'Europe/Berlin', 'america/new_york', 'Etc/GMT+5', 'CET'])('accepts %s', (zone) => {
    expect(checkZone(zone)).toEqual({ ok: true })
  })
  it.each(['', ' UTC', 'Mars/Olympus', '+02:00', '-0500', 'Europe/Berlin;', 7, null, {}])('refuses %j', (zone) => {
    expect(checkZone(zone)).toEqual({ ok: false, detail: expect.stringContaining('is not an IANA time zone') })
  })
})

describe('nextAfter', () => {
  it.each([
    ['lies strictly after the instant', '0 * * * *', 'UTC', '2026-05-01T10:00:00Z', ['2026-05-01T11:00Z']],
    ['ignores seconds that have passed', '* * * * *', 'UTC', '2026-05-01T10:00:59.999Z', ['2026-05-01T10:01Z']],
    ['follows the zone', '0 9 * * *', 'Asia/Kolkata', '2026-05-01T00:00:00Z', ['2026-05-01T03:30Z']],
    // Berlin loses 02:00-03:00 on 29 March 2026 and repeats 02:00-03:00 on 25 October 2026.
    [
      'moves a skipped fixed time',
      '30 2 * * *',
      'Europe/Berlin',
      '2026-03-28T12:00:00Z',
      ['2026-03-29T01:00Z', '2026-03-30T00:30Z'],
    ],
    [
      'fires once for several skipped times',
      '0,20,40 2 * * *',
      'Europe/Berlin',
      '2026-03-28T12:00:00Z',
      ['2026-03-29T01:00Z', '2026-03-30T00:00Z'],
    ],
    [
      'does not fire twice for a time at the gap',
      '30 2,3 * * *',
      'Europe/Berlin',
      '2026-03-28T12:00:00Z',
      ['2026-03-29T01:00Z', '2026-03-29T01:30Z'],
    ],
    [
      'merges with a time at the end of the gap',
      '0 2,3 * * *',
      'Europe/Berlin',
      '2026-03-28T12:00:00Z',
      ['2026-03-29T01:00Z', '2026-03-30T00:00Z'],
    ],
    [
      'keeps both runs of a twice-daily schedule',
      '0 2,14 * * *',
      'Europe/Berlin',
      '2026-03-28T20:00:00Z',
      ['2026-03-29T01:00Z', '2026-03-29T12:00Z'],
    ],
    [
      'fires a repeated fixed time once',
      '30 2 * * *',
      'Europe/Berlin',
      '2026-10-24T12:00:00Z',
      ['2026-10-25T00:30Z', '2026-10-26T01:30Z'],
    ],
    ['also when asked in between', '30 2 * * *', 'Europe/Berlin', '2026-10-25T01:10:00Z', ['2026-10-26T01:30Z']],
    [
      'skips skipped minutes of an interval',
      '*/30 2 * * *',
      'Europe/Berlin',
      '2026-03-28T12:00:00Z',
      ['2026-03-30T00:00Z'],
    ],
    [
      'repeats repeated minutes of an interval',
      '30 * * * *',
      'Europe/Berlin',
      '2026-10-24T23:45:00Z',
      ['2026-10-25T00:30Z', '2026-10-25T01:30Z', '2026-10-25T02:30Z'],
    ],
    [
      'a gap may end on the next date',
      '30 23 * * *',
      'America/Nuuk',
      '2026-03-28T12:00:00Z',
      ['2026-03-29T01:00Z', '2026-03-30T00:30Z'],
    ],
    [
      'a gap may start the day',
      '0 0 * * *',
      'America/Havana',
      '2026-03-07T12:00:00Z',
      ['2026-03-08T05:00Z', '2026-03-09T04:00Z'],
    ],
    [
      'a change of half an hour',
      '15 2 * * *',
      'Australia/Lord_Howe',
      '2026-10-03T00:00:00Z',
      ['2026-10-03T15:30Z', '2026-10-04T15:15Z'],
    ],
    // Samoa skipped 30 December 2011 when it crossed the date line.
    [
      'a date that did not exist is not made up for',
      '0 10 * * *',
      'Pacific/Apia',
      '2011-12-29T12:00:00Z',
      ['2011-12-29T20:00Z', '2011-12-30T20:00Z'],
    ],
    [
      'the first of March after a short month',
      '0 0 1,31 * *',
      'UTC',
      '2026-02-15T00:00:00Z',
      ['2026-03-01T00:00Z', '2026-03-31T00:00Z', '2026-04-01T00:00Z'],
    ],
    ['leap days', '0 0 29 2 *', 'Europe/Berlin', '2096-03-01T00:00:00Z', ['2104-02-28T23:00Z']],
    [
      'either day field matches',
      '0 0 13 * 5',
      'UTC',
      '2026-05-31T00:00:00Z',
      ['2026-06-05T00:00Z', '2026-06-12T00:00Z', '2026-06-13T00:00Z'],
    ],
    ['both day fields match with a plus', '0 0 13 * +5', 'UTC', '2026-04-01T00:00:00Z', ['2026-11-13T00:00Z']],
    ['a nickname', '@weekly', 'UTC', '2026-05-01T00:00:00Z', ['2026-05-03T00:00Z']],
  ])('%s: %s in %s', (_, expression, zone, from, ticks) => {
    expect(run(expression, zone, from, ticks.length)).toEqual(ticks)
  })
})

describe('missedTick', () => {
  it.each([
    ['none is due', '0 9 * * *', '2026-05-01T09:00:00Z', '2026-05-02T08:59:59Z', null],
    ['one is due, to the second', '0 9 * * *', '2026-05-01T09:00:00Z', '2026-05-02T09:00:00Z', '2026-05-02T09:00Z'],
    [
      'a week of daily ticks fires as the last one',
      '0 9 * * *',
      '2026-05-01T09:00:00Z',
      '2026-05-08T12:00:00Z',
      '2026-05-08T09:00Z',
    ],
    [
      'a year of minutes fires as the last one',
      '* * * * *',
      '2026-01-01T00:00:00Z',
      '2027-01-01T00:00:30Z',
      '2027-01-01T00:00Z',
    ],
    ['the last check itself is excluded', '0 9 * * *', '2026-05-02T09:00:00Z', '2026-05-02T09:00:00Z', null],
    ['a clock that was set back fires nothing', '* * * * *', '2026-05-02T09:00:00Z', '2026-05-02T08:00:00Z', null],
    [
      'dense hours of a sparse day',
      '*/5 9-17 * * 1',
      '2026-05-01T00:00:00Z',
      '2026-05-10T00:00:00Z',
      '2026-05-04T17:55Z',
    ],
    [
      'the second of two adjacent ticks',
      '0,1 10 * * *',
      '2026-05-01T00:00:00Z',
      '2026-05-01T10:48:00Z',
      '2026-05-01T10:01Z',
    ],
    ['once a year', '0 0 1 1 *', '2020-06-01T00:00:00Z', '2026-06-01T00:00:00Z', '2026-01-01T00:00Z'],
  ])('%s: %s', (_, expression, lastChecked, now, tick) => {
    expect(iso(missedTick(expression, 'UTC', new Date(lastChecked), new Date(now)))).toBe(tick)
  })

  it('equals the last tick of a forward walk', () => {
    const expressions = ['* * * * *', '*/7 * * * *', '30 2 * * *', '0,30 1-3 * * *', '0 9 * * 1-5', '0 0 1,31 * *']
    const zones = ['UTC', 'Europe/Berlin', 'America/Havana', 'Australia/Lord_Howe']
    const start = Date.UTC(2026, 0, 1)
    const second = fc.integer({ min: 0, max: 365 * 86_400 })
    fc.assert(
      fc.property(
        fc.constantFrom(...expressions),
        fc.constantFrom(...zones),
        second,
        fc.integer({ min: 0, max: 3 * 86_400 }),
        (expression, zone, fromSecond, seconds) => {
          const lastChecked = new Date(start + fromSecond * 1000)
          const now = new Date(lastChecked.getTime() + seconds * 1000)
          let walked: Date | null = null
          for (
            let at = nextAfter(expression, zone, lastChecked);
            at && at <= now;
            at = nextAfter(expression, zone, at)
          ) {
            walked = at
          }
          expect(missedTick(expression, zone, lastChecked, now)).toEqual(walked)
        },
      ),
      { numRuns: 300 },
    )
  })
})
