import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allZones, instantOf, isZoneOf, momentOf, wallTime, zoneText } from './zones.ts';

const at = (wall: string, zone: string): string | undefined => instantOf(wall, zone)?.toISOString().slice(0, 16);

test('a time of a zone is found in winter and in summer', () => {
  assert.equal(at('2026-01-15T09:30', 'Europe/Berlin'), '2026-01-15T08:30');
  assert.equal(at('2026-06-15T09:30', 'Europe/Berlin'), '2026-06-15T07:30');
  assert.equal(at('2026-06-15T09:30', 'Asia/Kathmandu'), '2026-06-15T03:45');
  assert.equal(at('2026-06-15T01:00', 'Pacific/Kiritimati'), '2026-06-14T11:00');
  assert.equal(at('2026-06-15T23:00', 'Pacific/Pago_Pago'), '2026-06-16T10:00');
  assert.equal(at('2026-06-15T09:30', 'UTC'), '2026-06-15T09:30');
});

test('of two such times the first is taken; one that clocks skip is as much later', () => {
  assert.equal(at('2026-10-25T02:30', 'Europe/Berlin'), '2026-10-25T00:30');
  assert.equal(at('2026-11-01T01:30', 'America/New_York'), '2026-11-01T05:30');
  assert.equal(at('2026-03-29T02:30', 'Europe/Berlin'), '2026-03-29T01:30', '03:30 in summer time');
  assert.equal(at('2026-03-08T02:30', 'America/New_York'), '2026-03-08T07:30');
});

test('what was not changed stays the moment that it was', () => {
  const second = new Date('2026-11-01T06:30:20.000Z');
  const kept = (wall: string, zone: string): string | undefined => instantOf(wall, zone, second)?.toISOString();
  assert.equal(kept(wallTime(second, 'America/New_York'), 'America/New_York'), '2026-11-01T06:30:20.000Z');
  assert.equal(kept('2026-11-01T01:31', 'America/New_York'), '2026-11-01T05:31:00.000Z', 'another is found anew');
  assert.equal(kept('2026-11-01T01:30', 'Europe/Berlin'), '2026-11-01T00:30:00.000Z', 'in another zone, too');
});

test('the hours around a change are found', () => {
  assert.equal(at('2026-03-29T01:59', 'Europe/Berlin'), '2026-03-29T00:59');
  assert.equal(at('2026-03-29T03:00', 'Europe/Berlin'), '2026-03-29T01:00');
  assert.equal(at('2026-10-25T01:59', 'Europe/Berlin'), '2026-10-24T23:59');
  assert.equal(at('2026-10-25T03:00', 'Europe/Berlin'), '2026-10-25T02:00');
});

test('what is no time is none', () => {
  assert.equal(instantOf('', 'Europe/Berlin'), null);
  assert.equal(instantOf('2026-13-01T00:00', 'Europe/Berlin'), null);
});

test('nor is one whose year is still being typed; the first and the last year are', () => {
  for (const typed of ['0002-11-22T09:30', '0020-11-22T09:30', '0202-11-22T09:30'])
    assert.equal(instantOf(typed, 'America/New_York'), null, typed);
  assert.equal(at('1000-01-01T00:00', 'UTC'), '1000-01-01T00:00');
  assert.equal(at('9999-12-31T23:59', 'UTC'), '9999-12-31T23:59');
});

test('wallTime is its inverse, and the zone is called as it is then', () => {
  for (const zone of ['Europe/Berlin', 'America/St_Johns', 'Australia/Lord_Howe', 'UTC']) {
    for (let hour = 0; hour < 8760; hour += 7) {
      const time = new Date(Date.UTC(2026, 0, 1, hour));
      const wall = wallTime(time, zone);
      const found = instantOf(wall, zone) as Date;
      assert.equal(wallTime(found, zone), wall, `${zone} ${wall}`);
    }
  }
  assert.equal(zoneText(new Date('2026-06-01T00:00Z'), 'Europe/Berlin'), 'Europe/Berlin (CEST)');
  assert.equal(zoneText(new Date('2026-06-01T00:00Z'), 'UTC'), 'UTC');
});

test('what is typed is a time when it is complete', () => {
  assert.equal(momentOf('2026-11-22T09:30'), new Date(2026, 10, 22, 9, 30).toISOString());
  for (const typed of ['', '0002-11-22T09:30', '0202-11-22T09:30', 'x', '2026-13-01T00:00', '20260-01-01T00:00'])
    assert.equal(momentOf(typed), undefined, typed);
});

test('zones have the names that they have today, and are found as people write them, also by their former ones', () => {
  const found = (typed: string): string[] => allZones().filter((zone) => isZoneOf(zone, typed));
  assert.deepEqual(found('kolkata'), ['Asia/Kolkata']);
  assert.deepEqual(found('Calcutta'), ['Asia/Kolkata']);
  assert.deepEqual(found('Kyiv'), ['Europe/Kyiv']);
  assert.deepEqual(found('new york'), ['America/New_York']);
  assert.deepEqual(found('New_York '), ['America/New_York']);
  assert.deepEqual(
    [isZoneOf('Europe/Kiev', 'kyiv'), isZoneOf('Europe/Kyiv', 'kiev')],
    [true, true],
    'whichever the browser knows',
  );
  assert.equal(found('').length, allZones().length);
  assert.equal(wallTime(new Date('2027-01-01T00:00Z'), 'Asia/Kolkata'), '2027-01-01T05:30');
});
