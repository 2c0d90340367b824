-- POST /v1/events as fast as they are answered: wrk … -s publish.lua <url> -- <key> <events of a request> <event> <audience as a JSON list> …
-- The event is `"event":…,"data":…` with @@ for the id of its subject. Of several events each goes to the next audience.
local head, before, after, audiences, batch, run
local n = 0

function init(args)
  head = 'POST /v1/events HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ' .. args[1]
    .. '\r\nContent-Type: application/json\r\nContent-Length: '
  batch = tonumber(args[2])
  local at = args[3]:find('@@', 1, true)
  before, after = '{' .. args[3]:sub(1, at - 1), args[3]:sub(at + 2) .. ',"accountIds":'
  audiences = {}
  for i = 4, #args do audiences[#audiences + 1] = args[i] end
  run = tostring(os.time())
end

local function event()
  n = n + 1
  return before .. 'bench-' .. run .. '-' .. n .. after .. audiences[n % #audiences + 1] .. '}'
end

function request()
  local body
  if batch == 1 then
    body = event()
  else
    local events = {}
    for i = 1, batch do events[i] = event() end
    body = '{"events":[' .. table.concat(events, ',') .. ']}'
  end
  return head .. #body .. '\r\n\r\n' .. body
end
