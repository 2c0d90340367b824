-- POST /v1/events with bodies from a file, one event or a batch: wrk … -s publish-events.lua <url> -- <key> <file> <batch>
-- `@@` in a body is replaced by the number of the round through the file.
local head, bodies, batch
local n, round, run = 0, 0, tostring(os.time())

function init(args)
  head = 'POST /v1/events HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ' .. args[1]
    .. '\r\nContent-Type: application/json\r\nContent-Length: '
  batch = tonumber(args[3])
  bodies = {}
  local part = {}
  for line in io.lines(args[2]) do
    part[#part + 1] = line
    if #part == batch then
      bodies[#bodies + 1] = batch == 1 and line or '{"events":[' .. table.concat(part, ',') .. ']}'
      part = {}
    end
  end
end

function request()
  n = n + 1
  if n > #bodies then n, round = 1, round + 1 end
  local body = string.gsub(bodies[n], '@@', run .. '-' .. round)
  return head .. #body .. '\r\n\r\n' .. body
end
